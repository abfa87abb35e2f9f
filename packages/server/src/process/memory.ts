import { setFlagsFromString } from 'node:v8'

/**
 * Bodies are short-lived buffers outside V8's heap. By default V8 counts only their small handles, and hundreds of
 * megabytes pile up before it collects. With these flags it counts them, and collects everything when heap and buffers
 * have grown by half (`decisions/memory.md`). Imported first, before the heap has grown.
 */
const FLAGS = ['--external-memory-accounted-in-global-limit', '--heap-growing-percent=50']
// The V8 of Node 22 does not know the first one, and says so on standard error.
const [major = 0] = process.versions.node.split('.').map(Number)
for (const flag of major < 24 ? FLAGS.slice(1) : FLAGS) setFlagsFromString(flag)
