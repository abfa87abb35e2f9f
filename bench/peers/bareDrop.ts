/** A peer for `blindkeep drop`: the loop of `bareSealing.ts` in Node. Takes `bareUploads.ts`'s URL and a path. */
import { createHash } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { sealAndSendBare } from './bareSealing.ts'

const [url = '', path = ''] = process.argv.slice(2)
await sealAndSendBare(await openAsBlob(path), { url, createHash: async () => createHash('sha256') })
