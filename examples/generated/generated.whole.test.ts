/** Clients generated from openapi.json compile strictly, and go through the loop of a drop. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startServer } from '../../testing/startServer.ts'
import type { Facts } from './facts.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const COMPILER = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url))
const lack = existsSync(join(HERE, 'node_modules')) ? false : 'needs `npm ci --prefix examples/generated`'

const run = promisify(execFile)

interface Story {
  story(facts: Facts): Promise<{ readonly ciphertext_hash: string; readonly size: number }>
}

describe('clients generated from openapi.json', { skip: lack }, () => {
  it('compile strictly, and take a file from the link to the receipt', async () => {
    await run(process.execPath, ['generate.mjs'], { cwd: HERE })
    await run(COMPILER, ['-p', HERE]).catch(({ stdout }) => assert.fail(stdout))
    const server = await startServer()
    try {
      for (const name of ['openapiFetch', 'heyApi']) {
        const sealed = new Uint8Array(randomBytes(1000))
        const hash = createHash('sha256').update(sealed).digest('hex')
        // Named at run time, because what it imports is generated.
        const { story }: Story = await import(new URL(`${name}.story.ts`, import.meta.url).href)
        const receipt = await story({
          baseUrl: server.url,
          email: `${randomUUID()}@example.org`,
          opaqueId: randomBytes(16).toString('hex'),
          sealed,
          hash,
          kemCt: Buffer.alloc(1120).toString('base64'),
        })
        assert.deepEqual([receipt.ciphertext_hash, receipt.size], [hash, sealed.length], name)
      }
    } finally {
      await server.stop()
    }
  })
})
