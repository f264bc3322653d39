"""How an encoded image of an Example becomes an item; `tfexample_decoder` shows the class."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.contrib.slim.item_handlers import ItemHandler
from queueio.stages.decoders.image import decode_image, decode_jpeg
from queueio.stages.decoders.raw import decode_raw

v1 = tf.compat.v1


class Image(ItemHandler):
    """Makes an image of a feature with its bytes and one with their format.

    The format "raw" or "RAW" says that the bytes are the pixels; of any other format, what kind of
    image it is, its first bytes say.

    Args:
      image_key: the name of the feature of the bytes (default "image/encoded").
      format_key: the name of the feature of the format (default "image/format").
      shape: the shape of every image, [height, width, channels], where all have the same.
      channels: how many channels an image has.
      dtype: the image's dtype; a cast from uint8 for all but raw ones.
      repeated: whether the feature holds several images, for an item of rank 4.
      dct_method: how a JPEG is decoded: "INTEGER_FAST", "INTEGER_ACCURATE" or "" for either.
    """

    def __init__(
        self,
        image_key: str | None = None,
        format_key: str | None = None,
        shape: Any = None,
        channels: int | None = 3,
        dtype: Any = tf.uint8,
        repeated: bool = False,
        dct_method: str = "",
    ) -> None:
        self._image_key = image_key or "image/encoded"
        self._format_key = format_key or "image/format"
        super().__init__([self._image_key, self._format_key])
        self._shape, self._channels, self._dtype = shape, channels, dtype
        self._repeated, self._dct_method = repeated, dct_method

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """The image, or the images."""
        content = keys_to_tensors[self._image_key]
        kind = keys_to_tensors[self._format_key]
        if self._repeated:
            return v1.map_fn(lambda one: self._decode(one, kind), content, dtype=self._dtype)
        return self._decode(content, kind)

    def _decode(self, content: Any, kind: Any) -> Any:
        is_raw = tf.logical_or(tf.equal(kind, "raw"), tf.equal(kind, "RAW"))
        ways = [(is_raw, lambda: decode_raw(content, out_type=self._dtype))]
        image = v1.case(ways, default=lambda: self._compressed(content), exclusive=True)
        image.set_shape([None, None, self._channels])
        return image if self._shape is None else tf.reshape(image, self._shape)

    def _compressed(self, content: Any) -> Any:
        """A JPEG is decoded apart from others, as only that op takes `dct_method`."""

        def jpeg() -> Any:
            image = decode_jpeg(content, channels=self._channels, dct_method=self._dct_method)
            return tf.cast(image, self._dtype)

        def other() -> Any:
            return tf.cast(decode_image(content, channels=self._channels), self._dtype)

        return v1.cond(tf.image.is_jpeg(content), jpeg, other, name="cond_jpeg")
