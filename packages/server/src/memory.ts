import { setFlagsFromString } from 'node:v8'

/**
 * Bodies pass as buffers that live for a moment. V8 sees only their small heads and would let hundreds of megabytes of them lie before it
 * collects. These settings make it count what lies outside its heap, and collect small and often. Imported first, before the heap has grown.
 */
for (const flag of ['--optimize-for-size', '--external-memory-accounted-in-global-limit', '--max-semi-space-size=1']) {
  setFlagsFromString(flag)
}
