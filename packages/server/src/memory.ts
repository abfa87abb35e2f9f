import { setFlagsFromString } from 'node:v8'

/**
 * Bodies arrive as buffers of 64 KiB that live for a moment. V8 sees only their small heads and would let hundreds of megabytes of them lie
 * before it collects; a small young generation is collected often, and with it they go. Imported first, before the heap has grown.
 */
setFlagsFromString('--max-semi-space-size=1')
setFlagsFromString('--semi-space-growth-factor=1')
