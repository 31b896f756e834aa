# choices: IMAGE_SHAPE IMAGE_BYTES
def sample_image():
    """Your own image as the page decoded and scaled it, from 0 to 1, [rows, columns, 3]."""
    pixels = np.frombuffer(bytes.fromhex(IMAGE_BYTES), np.uint8)
    return pixels.reshape(*IMAGE_SHAPE, 3) / 255
