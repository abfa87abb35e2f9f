import { parsedOnce } from '../../../../../tools/arguments.ts'
import { startS3, TEST_BUCKET } from './server.ts'

/** The double as a process: `node main.ts --port 9000 --bucket name`. Prints a line of JSON when it listens. */
const { values } = parsedOnce({
  options: {
    port: { type: 'string', default: '0' },
    bucket: { type: 'string', multiple: true, default: [TEST_BUCKET] },
    'even-parts': { type: 'boolean', default: false },
    versioned: { type: 'boolean', default: false },
    'no-hashes': { type: 'boolean', default: false },
  },
})

const server = await startS3({
  port: Number(values.port),
  buckets: values.bucket,
  evenParts: values['even-parts'],
  isVersioned: values.versioned,
  checksHashes: !values['no-hashes'],
})
console.log(JSON.stringify({ endpoint: server.endpoint, ...server.credentials, buckets: values.bucket }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close())
