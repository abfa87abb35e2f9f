/** A peer for `blindkeep drop`: the bare loop of `bareSealing.ts` in Node. Takes the URL of `bareUploads.ts` and the path of a file. */
import { createHash } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { sealAndSendBare } from './bareSealing.ts'

const [url = '', path = ''] = process.argv.slice(2)
await sealAndSendBare(await openAsBlob(path), { url, createHash: async () => createHash('sha256') })
