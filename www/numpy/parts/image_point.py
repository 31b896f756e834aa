# choices: IMAGE_SHAPE
def sample_image():
    """One white pixel in the middle, [rows, columns, 1]."""
    rows, columns = IMAGE_SHAPE
    image = np.zeros((rows, columns, 1))
    image[rows // 2, columns // 2] = 1
    return image
