//! Deserialisers that take what they need and shrug at the rest.
//!
//! A session log changes from version to version. A field of another type than expected, a key that occurs twice,
//! a value nested out of all reason: none of it may cost the record. So nothing here fails on well-formed JSON
//! except for half a surrogate pair in a string that is read ([`super::repair`] sees to that).

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::text::{preview, tokens};

/// Implements the visitor methods of every JSON type not named here by ignoring the value and returning the
/// default of the visitor's value.
macro_rules! shrug_at {
    ($($method:ident),* $(,)?) => {
        $(crate::formats::lenient::shrug_at!(@ $method);)*
    };
    (@ bool) => { fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> { Ok(Default::default()) } };
    (@ numbers) => {
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> { Ok(Default::default()) }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> { Ok(Default::default()) }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> { Ok(Default::default()) }
    };
    (@ null) => { fn visit_unit<E>(self) -> Result<Self::Value, E> { Ok(Default::default()) } };
    (@ string) => { fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> { Ok(Default::default()) } };
    (@ array) => {
        fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            while seq.next_element::<serde::de::IgnoredAny>()?.is_some() {}
            Ok(Default::default())
        }
    };
    (@ object) => {
        fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<serde::de::IgnoredAny, serde::de::IgnoredAny>()?.is_some() {}
            Ok(Default::default())
        }
    };
}
pub(super) use shrug_at;

/// A string, borrowed where it holds no escapes; nothing where the value is something else.
#[derive(Debug, Default)]
pub struct Text<'a>(pub Option<Cow<'a, str>>);

impl Text<'_> {
    /// The string, or the empty one.
    pub fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }

    /// An owned copy, if there is a string.
    pub fn boxed(&self) -> Option<Box<str>> {
        self.0.as_deref().map(Into::into)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Some(Cow::Borrowed(text))))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Some(Cow::Owned(text.to_owned()))))
            }
            shrug_at!(bool, numbers, null, array, object);
        }
        deserializer.deserialize_any(V)
    }
}

/// `null`, a string, or neither: what a link to another record can be.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// Not a link.
    #[default]
    None,
    /// Written out as `null`.
    Null,
    /// An id.
    Id(super::facts::Id),
}

impl<'de> Deserialize<'de> for Link {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Link;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_unit<E>(self) -> Result<Link, E> {
                Ok(Link::Null)
            }
            fn visit_str<E>(self, text: &str) -> Result<Link, E> {
                Ok(Link::Id(super::facts::Id::of(text)))
            }
            shrug_at!(bool, numbers, array, object);
        }
        deserializer.deserialize_any(V)
    }
}

/// A boolean; false where the value is something else.
#[derive(Debug, Default, Clone, Copy)]
pub struct Flag(pub bool);

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Flag;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_bool<E>(self, value: bool) -> Result<Flag, E> {
                Ok(Flag(value))
            }
            shrug_at!(numbers, null, string, array, object);
        }
        deserializer.deserialize_any(V)
    }
}

/// True when the key occurred at all.
#[derive(Debug, Default, Clone, Copy)]
pub struct Present(pub bool);

impl<'de> Deserialize<'de> for Present {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde::de::IgnoredAny::deserialize(deserializer).map(|_| Self(true))
    }
}

/// A whole number from 0; nothing where the value is something else.
#[derive(Debug, Default, Clone, Copy)]
pub struct Count(pub Option<u64>);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Count;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_u64<E>(self, value: u64) -> Result<Count, E> {
                Ok(Count(Some(value)))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Count, E> {
                Ok(Count(u64::try_from(value).ok()))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Count, E> {
                Ok(Count(((0.0..1e15).contains(&value) && value.fract() == 0.0).then_some(value as u64)))
            }
            shrug_at!(bool, null, string, array, object);
        }
        deserializer.deserialize_any(V)
    }
}

/// How many bytes a string has; 0 where the value is something else.
#[derive(Debug, Default, Clone, Copy)]
pub struct Length(pub u32);

impl<'de> Deserialize<'de> for Length {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Length;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_str<E>(self, text: &str) -> Result<Length, E> {
                Ok(Length(u32::try_from(text.len()).unwrap_or(u32::MAX)))
            }
            shrug_at!(bool, numbers, null, array, object);
        }
        deserializer.deserialize_any(V)
    }
}

/// The strings of an array, as ids.
#[derive(Debug, Default)]
pub struct Ids(pub Vec<super::facts::Id>);

impl<'de> Deserialize<'de> for Ids {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Ids;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Ids, A::Error> {
                let mut ids = Vec::new();
                while let Some(link) = seq.next_element::<Link>()? {
                    if let Link::Id(id) = link {
                        ids.push(id);
                    }
                }
                Ok(Ids(ids))
            }
            shrug_at!(bool, numbers, null, string, object);
        }
        deserializer.deserialize_any(V)
    }
}

/// An object of which one key was read already, and perhaps its value, with these before the rest.
pub struct Resumed<'de, A> {
    key: Option<Cow<'de, str>>,
    value: Option<Cow<'de, str>>,
    rest: A,
}

impl<'de, A: MapAccess<'de>> Resumed<'de, A> {
    /// The object that begins with the key that was `read`, and with its value where that was read too, and goes on
    /// with `rest`.
    pub fn new(read: Option<(Cow<'de, str>, Option<Cow<'de, str>>)>, rest: A) -> Self {
        let (key, value) = read.unzip();
        Self { key, value: value.flatten(), rest }
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Resumed<'de, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        match self.key.take() {
            Some(key) => seed.deserialize(CowDeserializer(key, PhantomData)).map(Some),
            None => self.rest.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        match self.value.take() {
            Some(value) => seed.deserialize(CowDeserializer(value, PhantomData)),
            None => self.rest.next_value_seed(seed),
        }
    }
}

/// A string as a deserializer that keeps it borrowed.
struct CowDeserializer<'de, E>(Cow<'de, str>, PhantomData<E>);

impl<'de, E: serde::de::Error> Deserializer<'de> for CowDeserializer<'de, E> {
    type Error = E;
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        match self.0 {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
    }
    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// The elements of an array; none where the value is something else.
#[derive(Debug)]
pub struct List<T>(pub Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for V<T> {
            type Value = List<T>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<List<T>, A::Error> {
                let mut elements = Vec::new();
                while let Some(element) = seq.next_element()? {
                    elements.push(element);
                }
                Ok(List(elements))
            }
            shrug_at!(bool, numbers, null, string, object);
        }
        deserializer.deserialize_any(V(PhantomData))
    }
}

/// Takes the values of an object in where it stands: a large struct need not be moved about.
pub trait ReadFrom<'de> {
    /// Reads all of `map`.
    fn read_from<A: MapAccess<'de>>(&mut self, map: A) -> Result<(), A::Error>;
}

/// Declares a struct that reads itself from an object: `"key" => field: Type`. Keys may repeat (the last one
/// wins), keys not named are skipped, and anything but an object gives the default. With `else field unless known`
/// the names of keys that are neither fields nor known are collected in `field`.
macro_rules! lenient {
    (
        $(#[$meta:meta])*
        for<$de:lifetime> struct $name:ident $(<$lt:lifetime>)? {
            $($key:literal $(| $alias:literal)* => $field:ident : $ty:ty,)*
        }
        $(else $unknown:ident unless $known:path)?
    ) => {
        $(#[$meta])*
        #[derive(Debug, Default)]
        pub(in crate::formats) struct $name $(<$lt>)? {
            $(pub(super) $field: $ty,)*
            $(pub(super) $unknown: Vec<Box<str>>,)?
        }
        impl<$de> crate::formats::lenient::ReadFrom<$de> for $name $(<$lt>)? {
            fn read_from<A: serde::de::MapAccess<$de>>(&mut self, mut map: A) -> Result<(), A::Error> {
                while let Some(key) = map.next_key::<crate::formats::lenient::Text>()? {
                    match key.as_str() {
                        $($key $(| $alias)* => self.$field = map.next_value()?,)*
                        _other => {
                            $(if !$known(_other) { self.$unknown.push(_other.into()); })?
                            map.next_value::<serde::de::IgnoredAny>()?;
                        }
                    }
                }
                Ok(())
            }
        }
        impl<$de> serde::Deserialize<$de> for $name $(<$lt>)? {
            fn deserialize<D: serde::Deserializer<$de>>(deserializer: D) -> Result<Self, D::Error> {
                struct V;
                impl<$de> serde::de::Visitor<$de> for V {
                    type Value = $name $(<$lt>)?;
                    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                        f.write_str("anything")
                    }
                    fn visit_map<A: serde::de::MapAccess<$de>>(self, map: A) -> Result<Self::Value, A::Error> {
                        let mut out = Self::Value::default();
                        crate::formats::lenient::ReadFrom::read_from(&mut out, map)?;
                        Ok(out)
                    }
                    crate::formats::lenient::shrug_at!(bool, numbers, null, string, array);
                }
                deserializer.deserialize_any(V)
            }
        }
    };
}
pub(super) use lenient;

/// What a text amounts to, found while it is read and without keeping it.
#[derive(Debug, Default, Clone)]
pub struct Weight {
    /// Bytes of its strings, unescaped.
    pub bytes: u32,
    /// Estimated tokens.
    pub tokens: u32,
    /// The first words.
    pub preview: String,
    /// Whether anything but white space is in it.
    pub filled: bool,
    /// How many images are in it.
    pub images: u32,
    /// It carries the user's own words (see [`super::blocks::voice`]).
    pub voice: bool,
    /// A checksum of its texts.
    pub digest: u32,
}

impl Weight {
    /// Adds one more text.
    pub fn add(&mut self, text: &str) {
        self.bytes = self.bytes.saturating_add(u32::try_from(text.len()).unwrap_or(u32::MAX));
        self.tokens = self.tokens.saturating_add(tokens::estimate(text));
        self.digest = self.digest.rotate_left(1) ^ crc32fast::hash(text.as_bytes());
        if self.preview.is_empty() {
            self.preview = preview::of(text);
        }
        self.filled |= !self.preview.is_empty() || !text.trim_start().is_empty();
    }

    /// Adds another weight, keeping the first preview.
    pub fn merge(&mut self, other: Self) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.tokens = self.tokens.saturating_add(other.tokens);
        if self.preview.is_empty() {
            self.preview = other.preview;
        }
        self.filled |= other.filled;
        self.images += other.images;
        self.voice |= other.voice;
        self.digest = self.digest.rotate_left(1) ^ other.digest;
    }
}

/// Any value, weighed as the sum of its strings, numbers and keys.
#[derive(Debug, Default)]
pub struct WeighedAny(pub Weight);

impl WeighedAny {
    fn of(text: &str) -> Self {
        let mut weight = Weight::default();
        weight.add(text);
        Self(weight)
    }
}

/// Values nested deeper than this are not weighed, and kept as they stand in the log: whoever nests further wants to
/// see a reader fail.
const DEPTH: u8 = 64;

impl<'de> Deserialize<'de> for WeighedAny {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        WeighAt(0).deserialize(deserializer)
    }
}

/// Weighs a value at this depth.
struct WeighAt(u8);

impl<'de> DeserializeSeed<'de> for WeighAt {
    type Value = WeighedAny;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<WeighedAny, D::Error> {
        if self.0 >= DEPTH {
            // Skipping takes no stack, weighing does.
            return deserializer.deserialize_ignored_any(IgnoredAny).map(|_| WeighedAny::default());
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for WeighAt {
    type Value = WeighedAny;
    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("anything")
    }
    fn visit_str<E>(self, text: &str) -> Result<WeighedAny, E> {
        Ok(WeighedAny::of(text))
    }
    fn visit_u64<E>(self, number: u64) -> Result<WeighedAny, E> {
        Ok(WeighedAny::of(&number.to_string()))
    }
    fn visit_i64<E>(self, number: i64) -> Result<WeighedAny, E> {
        Ok(WeighedAny::of(&number.to_string()))
    }
    fn visit_f64<E>(self, number: f64) -> Result<WeighedAny, E> {
        Ok(WeighedAny::of(&number.to_string()))
    }
    fn visit_bool<E>(self, value: bool) -> Result<WeighedAny, E> {
        Ok(WeighedAny::of(if value { "true" } else { "false" }))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<WeighedAny, A::Error> {
        let mut sum = Weight::default();
        while let Some(WeighedAny(weight)) = seq.next_element_seed(WeighAt(self.0 + 1))? {
            sum.merge(weight);
        }
        Ok(WeighedAny(sum))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<WeighedAny, A::Error> {
        let mut sum = Weight::default();
        while let Some(key) = map.next_key::<Text>()? {
            sum.tokens = sum.tokens.saturating_add(tokens::estimate(key.as_str()));
            let WeighedAny(weight) = map.next_value_seed(WeighAt(self.0 + 1))?;
            sum.merge(weight);
        }
        Ok(WeighedAny(sum))
    }
    shrug_at!(null);
}

/// Any value, read whole. What is nested too deep in it is the text of its JSON, as the log has it.
#[derive(Debug, Default)]
pub struct Whole(pub Value);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ReadAt(0).deserialize(deserializer).map(Self)
    }
}

/// Reads a value at this depth.
struct ReadAt(u8);

impl<'de> DeserializeSeed<'de> for ReadAt {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        if self.0 >= DEPTH {
            // Taking the text takes no stack, reading it does.
            let raw = <&RawValue>::deserialize(deserializer)?;
            return Ok(Value::String(raw.get().to_owned()));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ReadAt {
    type Value = Value;
    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("anything")
    }
    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }
    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }
    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }
    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = seq.next_element_seed(ReadAt(self.0 + 1))? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut fields = serde_json::Map::new();
        while let Some(key) = map.next_key::<String>()? {
            let value = map.next_value_seed(ReadAt(self.0 + 1))?;
            fields.insert(key, value);
        }
        Ok(Value::Object(fields))
    }
    shrug_at!(null);
}
