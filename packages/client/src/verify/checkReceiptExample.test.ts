/** The worked example for authors of clients (`packages/protocol/examples`), by `node` alone on a real receipt. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { AttestationKeysResponse } from '@blindkeep/protocol/schemas/discovery'
import type { AssetReceipt } from '@blindkeep/protocol/schemas/receipts'
import { changeBody, flipInBase64, isRequest } from '../../../../testing/maliciousServer.ts'
import { custodyOf, newOwner, type SentFile, sendFile } from '../../../../testing/people.ts'
import { startServer } from '../../../../testing/startServer.ts'
import { createCalls } from '../http/call.ts'
import { openingOfState, savedReceipt } from '../opening/makeOpening.ts'
import { sharedServer } from '../testing/sharedServer.ts'
import { auditServer } from './audit.ts'

const EXAMPLE = fileURLToPath(new URL('../../../protocol/examples/checkReceipt.mjs', import.meta.url))
const VECTORS = new URL('../../../../vectors/receipts.json', import.meta.url)
const MAX_LINES = 60

const { proxy, server } = await sharedServer()
let directory: string
let sent: SentFile
let receipt: AssetReceipt

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'blindkeep-example-'))
  const link = await (await newOwner(proxy.url)).createLink({ label: 'for tests' })
  // Two, so that the checked one has a prior_receipt_hash.
  await sendFile(link.url, randomBytes(1000))
  sent = await sendFile(link.url, randomBytes(1000))
  const { opaqueId, uploadId } = custodyOf(sent)
  receipt = await getJson(`${proxy.url}/d/${opaqueId}/${uploadId}/receipt`)
})
after(() => rm(directory, { recursive: true }))

async function getJson<Body>(url: string): Promise<Body> {
  const answer = await fetch(url)
  assert.equal(answer.status, 200)
  return answer.json()
}

interface Ended {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

async function run(args: readonly string[], input?: string): Promise<Ended> {
  const child = spawn(process.execPath, args)
  child.stdin.end(input)
  const closed = once(child, 'close')
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  await closed
  return { code: child.exitCode, output, errors }
}

async function check(shown: unknown, address = proxy.url): Promise<Ended> {
  const file = join(directory, 'receipt.json')
  await writeFile(file, JSON.stringify(shown))
  return run([EXAMPLE, address, file])
}

function assertRefused({ code, output, errors }: Ended, reason: RegExp, what?: string): void {
  assert.equal(code, 1, what)
  assert.equal(output, '', what)
  assert.match(errors, reason, what)
}

describe('the example for authors of clients', () => {
  it('accepts a real receipt, and prints its signed content', async () => {
    const { code, output, errors } = await check(receipt)
    assert.deepEqual([code, errors], [0, ''])
    assert.match(output, /\nholds\n$/)
    assert.ok(output.includes(sent.landed.ciphertextHash))
    assert.ok(output.includes(`receipt_seq: ${receipt.receipt_seq}`))
  })

  it('reads a receipt from standard input', async () => {
    const { code, output } = await run([EXAMPLE, proxy.url], JSON.stringify(receipt))
    assert.equal(code, 0)
    assert.match(output, /\nholds\n$/)
  })

  it('accepts a receipt as it is saved, with the server’s keys and statements, and a proof', async () => {
    const { keys } = await auditServer(createCalls({ baseUrl: proxy.url }))
    for (const file of [{ name: 'a', folder: '', size: 1000 }, await openingOfState(sent.state)]) {
      const { code, errors } = await check(savedReceipt({ receipt, pins: keys, file }))
      assert.deepEqual([code, errors], [0, ''])
    }
  })

  it('refuses a receipt with one flipped bit in any part', async () => {
    const cbor = Buffer.from(receipt.receipt_cbor, 'base64')
    const keyId = Buffer.from(receipt.server_key_id, 'hex')
    const [first, second] = [cbor.indexOf(keyId), cbor.lastIndexOf(keyId)]
    assert.ok(0 < first && first < second)
    const form = /one form of a receipt/
    const parts: readonly (readonly [string, number, RegExp])[] = [
      ['the tag', 1, form],
      ['the content type', cbor.indexOf('receipt+cbor'), form],
      ['the payload’s length', cbor.indexOf('a059', 0, 'hex') + 3, /does not verify/],
      ['a name in the payload', cbor.indexOf('server_id'), /Ed25519 signature/],
      ['a value in the payload', cbor.indexOf('original'), /Ed25519 signature/],
      ['the algorithm of the first signature', first - 4, form],
      ['its key id', first, form],
      ['the first signature', first + keyId.length + 20, /Ed25519 signature/],
      ['the algorithm of the second signature', second - 4, form],
      ['its key id', second + keyId.length - 1, form],
      ['the second signature', second + keyId.length + 20, /ML-DSA-65 signature/],
      ['the last byte', cbor.length - 1, /ML-DSA-65 signature/],
    ]
    for (const [what, position, reason] of parts)
      assertRefused(
        await check({ ...receipt, receipt_cbor: flipInBase64(receipt.receipt_cbor, position) }),
        reason,
        what,
      )
  })

  it('refuses a truncated receipt, and one with extra bytes', async () => {
    const cbor = Buffer.from(receipt.receipt_cbor, 'base64')
    for (const bytes of [cbor.subarray(0, -1), Buffer.concat([cbor, Buffer.alloc(1)])])
      assertRefused(await check({ ...receipt, receipt_cbor: bytes.toString('base64') }), /one form of a receipt/)
  })

  it('refuses a receipt whose other fields differ', async () => {
    assertRefused(await check({ ...receipt, size: receipt.size + 1 }), /size is not the signed value/)
    assertRefused(await check({ ...receipt, server_key_id: '0'.repeat(64) }), /no such key/)
  })

  it('refuses a receipt under the keys of another server', async () => {
    const other = await startServer()
    try {
      const keysUrl = `${other.url}/.well-known/service/attestation-keys`
      const { keys: others } = await getJson<AttestationKeysResponse>(keysUrl)
      assertRefused(await check(receipt, other.url), /no such key/)
      const under = (keys: unknown) => ({
        matches: isRequest('GET', /attestation-keys$/),
        answer: changeBody((body) => {
          body.keys = keys
        }),
      })
      proxy.tamper(under(others))
      assertRefused(await check(receipt), /no such key/)
      proxy.tamper(under(others.map((key) => ({ ...key, key_id: receipt.server_key_id }))))
      assertRefused(await check(receipt), /no such key/)
    } finally {
      await other.stop()
    }
  })

  it('refuses a receipt from before or after the time of its key', async () => {
    for (const [name, time] of [
      ['active_from', '2199-01-01T00:00:00Z'],
      ['active_to', '2026-01-01T00:00:00Z'],
      ['active_from', 'some day'],
    ] as const) {
      proxy.tamper({
        matches: isRequest('GET', /attestation-keys$/),
        answer: changeBody((body) => {
          assert.ok(Array.isArray(body.keys))
          for (const key of body.keys) key[name] = time
        }),
      })
      assertRefused(await check(receipt), /not the active one/, time)
    }
  })

  it('refuses a receipt at another address than the one that it names', async () => {
    assertRefused(await check(receipt, server.url), /of another server/)
  })

  it('agrees with all vectors of receipts', async () => {
    const vectors: Vectors = JSON.parse(await readFile(VECTORS, 'utf8'))
    const [first] = vectors.valid
    assert.ok(first !== undefined && vectors.invalid.length > 0)
    const invalid = vectors.invalid.map((vector) => ({ ...first, ...vector }))
    const refused = await refusedVectors(vectors.keys, [...vectors.valid, ...invalid])
    assert.deepEqual(refused, [...vectors.valid.map(() => false), ...invalid.map(() => true)])
  })

  it('has at most 60 lines and imports only modules of Node', async () => {
    const source = await readFile(EXAMPLE, 'utf8')
    assert.ok(source.trimEnd().split('\n').length <= MAX_LINES)
    const imported = [...source.matchAll(/\b(?:from|import|require)\b[ (]*['"]([^'"]*)['"]/g)].map(([, name]) => name)
    assert.ok(imported.length > 0)
    for (const name of imported) assert.match(name ?? '', /^node:/)
  })
})

interface Vector {
  readonly payload: { readonly server_id: string }
  readonly server_key_id: string
  readonly receipt_cbor: string
}

interface Vectors {
  readonly keys: readonly { readonly key_id: string; readonly public: string }[]
  readonly valid: readonly Vector[]
  readonly invalid: readonly { readonly name: string; readonly receipt_cbor: string }[]
}

/**
 * Whether the example refuses each vector. No server answers at the address of the vectors, so its answer replaces the
 * network. All in one worker, as a process or a worker for each takes longer than the check.
 */
async function refusedVectors(keys: Vectors['keys'], vectors: readonly Vector[]): Promise<readonly boolean[]> {
  const published = keys.map((key) => ({ ...key, active_from: '2026-01-01T00:00:00Z' }))
  const runs: object[] = []
  for (const [index, { payload, server_key_id, receipt_cbor }] of vectors.entries()) {
    const { server_id } = payload
    const file = join(directory, `vector ${index}.json`)
    await writeFile(file, JSON.stringify({ server_key_id, receipt_cbor }))
    runs.push({ argv: [server_id, file], answer: JSON.stringify({ server_id, keys: published }) })
  }
  const program = join(directory, 'example.mjs')
  await writeFile(
    program,
    `import { parentPort, workerData } from 'node:worker_threads'
    console.log = () => {}
    // The example adds one each time.
    process.setMaxListeners(0)
    const refused = []
    for (const [index, { argv, answer }] of workerData.runs.entries()) {
      process.argv.splice(2, 2, ...argv)
      globalThis.fetch = async () => new Response(answer)
      try {
        await import(workerData.example + '?' + index)
        refused.push(false)
      } catch {
        refused.push(true)
      }
    }
    parentPort.postMessage(refused)`,
  )
  const worker = new Worker(program, { workerData: { runs, example: pathToFileURL(EXAMPLE).href } })
  const [refused] = await once(worker, 'message')
  return refused
}
