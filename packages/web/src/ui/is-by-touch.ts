/** Whether this is a device whose keyboard is on the screen: there Enter is the only way to begin a line. */
export const isByTouch = (): boolean => matchMedia('(pointer: coarse)').matches;
