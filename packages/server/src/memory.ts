import { setFlagsFromString } from 'node:v8'

/**
 * Bodies are short-lived buffers outside V8's heap. By default V8 counts only their small handles, and hundreds of megabytes pile up before it
 * collects. These flags make it count memory outside the heap, and collect often. Imported first, before the heap has grown.
 */
for (const flag of ['--optimize-for-size', '--external-memory-accounted-in-global-limit', '--max-semi-space-size=1']) {
  setFlagsFromString(flag)
}
