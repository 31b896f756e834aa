#if own-image
# needs: image_own
#end
#if shapes
# needs: image_shapes
#end
#if rings
# needs: image_rings
#end
#if point
# needs: image_point
#end
#if noise
# needs: image_noise
#end
#if signal
# needs: image_signal
#end
