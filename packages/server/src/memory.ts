import { setFlagsFromString } from 'node:v8'

/**
 * Bodies are short-lived buffers outside V8's heap. By default V8 counts only their small handles, and hundreds of megabytes pile up before it collects. With
 * these flags it counts them, and collects everything when heap and buffers have grown by half (`decisions/memory.md`). Imported first, before the heap has grown.
 */
for (const flag of ['--external-memory-accounted-in-global-limit', '--heap-growing-percent=50'])
  setFlagsFromString(flag)
