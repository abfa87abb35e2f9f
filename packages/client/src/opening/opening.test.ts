/** The proof about a file: what holds, what each step refuses, and what its secret does not open. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { concatBytes, fromBase64, fromHex, toBase64, toHex, utf8 } from '@blindkeep/protocol/bytes'
import { encodeCbor } from '@blindkeep/protocol/cbor'
import { parseOpaqueId, parseSha256Hex } from '@blindkeep/protocol/ids'
import { MAX_PROOF_BYTES, MAX_PROOF_LINES } from '@blindkeep/protocol/schemas/openings'
import vectors from '../../../../vectors/openings.json' with { type: 'json' }
import { nodeEnvironment } from '../node/nodeEnvironment.ts'
import { PURPOSES, secretsOfBlob, streamSecrets } from '../seal/derive.ts'
import { readPrefix } from '../seal/openHeader.ts'
import { createSealer } from '../seal/seal.ts'
import { createSegmentCipher } from '../seal/sealedBlob.ts'
import { hashSealed } from '../seal/sealStream.ts'
import { sourceOfBytes } from '../seal/source.ts'
import type { SendState } from '../send/sendState.ts'
import { parsePublishedKeys } from '../verify/publishedKeys.ts'
import { checkFile, checkSigned } from './checkProof.ts'
import { openingOfBlob, openingOfState, savedReceipt } from './makeOpening.ts'
import { parseProof, readProofs } from './readProof.ts'

const keys = await parsePublishedKeys(vectors.published)
const hinted = keys.keys.map((key) => ({ ...key, activeTo: undefined }))
const environment = nodeEnvironment
const known = <Value>(value: Value | undefined): Value => value ?? assert.fail('undefined')

interface Vector {
  readonly size: number
  readonly content?: string
  readonly proof?: unknown
  readonly text?: string
}

const textOf = ({ proof, text }: Vector) => text ?? JSON.stringify(proof)
const contentOf = ({ size, content }: Vector) =>
  content === undefined ? Uint8Array.from({ length: size }, (_, index) => index % 251) : fromHex(content)

async function check(vector: Vector) {
  const proof = parseProof(utf8(textOf(vector)))
  const signed = await checkSigned(proof, { keys })
  return await checkFile({ proof, signed, source: sourceOfBytes(contentOf(vector)), environment })
}

const first = known(vectors.valid[0])
const atStep = (reason: string) => ({ name: 'ProofError', reason })

describe('a proof about a file', () => {
  for (const vector of vectors.valid)
    it(`holds, and then says what its header says: ${vector.name}`, async () => {
      const { name, sender, note, size } = await check(vector)
      const { size: length, ...words }: Readonly<Record<string, unknown>> = vector.header
      assert.equal(size, length)
      assert.deepEqual({ name, sender, note }, { name: words.name, sender: words.sender, note: words.note })
    })

  for (const vector of vectors.invalid)
    it(`is refused at the step ${vector.step}: ${vector.name}`, async () => {
      await assert.rejects(check(vector), atStep(vector.step))
    })

  it('is refused at the step server if another one is expected', async () => {
    const proof = parseProof(utf8(textOf(first)))
    await assert.rejects(checkSigned(proof, { keys, serverId: 'https://other.example' }), atStep('server'))
    await checkSigned(proof, { keys, serverId: 'https://keep.example' })
  })

  it('brings a hint of its key, which is only that', async () => {
    const [key] = vectors.published.keys
    const proofWith = (more: object) => parseProof(utf8(JSON.stringify({ ...first.proof, ...more })))
    const { hintedKeys = assert.fail() } = proofWith({ keys: [key] })
    assert.deepEqual(hintedKeys.keys, hinted)
    await checkSigned(proofWith({}), { keys: hintedKeys })
    assert.equal(
      proofWith({ keys: [{ ...key, key_id: first.proof.server_key_id, public: other }] }).hintedKeys,
      undefined,
    )
  })

  it('without an opening is a receipt, and shows nothing about a file', async () => {
    const { file: _, ...receipt } = first.proof
    const proof = parseProof(utf8(JSON.stringify(receipt)))
    const signed = await checkSigned(proof, { keys })
    assert.equal(signed.payload.receipt_seq, 1)
    await assert.rejects(checkFile({ proof, signed, source: sourceOfBytes(contentOf(first)) }), atStep('form'))
  })

  it('is not checked against a size that would fill the memory with tags', async () => {
    const proof = parseProof(utf8(textOf(first)))
    const signed = await checkSigned(proof, { keys })
    const payload = { ...signed.payload, size: 2 ** 52 }
    await assert.rejects(
      checkFile({ proof, signed: { ...signed, payload }, source: sourceOfBytes(contentOf(first)) }),
      atStep('length'),
    )
  })
})

const other = toBase64(new Uint8Array(1984))

async function* piecesOf(bytes: Uint8Array, length: number) {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

async function numbersIn(text: string, length = 1000): Promise<readonly number[]> {
  const numbers: number[] = []
  for await (const { receipt } of readProofs(piecesOf(utf8(text), length))) numbers.push(receipt.receipt_seq)
  return numbers
}

describe('a file of proofs', () => {
  const line = JSON.stringify(first.proof)

  it('is one document, also over several lines, or JSON Lines', async () => {
    assert.deepEqual(await numbersIn(line), [1])
    assert.deepEqual(await numbersIn(`\ufeff${JSON.stringify(first.proof, undefined, 2)}\r\n`, 7), [1])
    assert.deepEqual(await numbersIn(`${line}\n\n${line}\r\n${line}`, 4093), [1, 1, 1])
  })

  it('may be the receipts of a file of an account, as the server answers and as they are saved', async () => {
    const answer = { asset_id: 'any', receipts: [first.proof, first.proof] }
    assert.deepEqual(await numbersIn(JSON.stringify(answer)), [1, 1])
    const withKeys = { ...vectors.published, receipts: [{ ...first.proof, keys: undefined }] }
    const saved = utf8(JSON.stringify(withKeys, undefined, 2))
    for await (const { hintedKeys } of readProofs(piecesOf(saved, 1000))) assert.equal(hintedKeys?.keys.length, 1)
    for (const receipts of [[first.proof, 1], []])
      await assert.rejects(numbersIn(JSON.stringify({ receipts })), atStep('form'))
  })

  it('is read one after the other', async () => {
    let pieces = 0
    async function* endless() {
      for (;;) {
        pieces += 1
        yield utf8(`${line}\n`)
      }
    }
    const proofs = readProofs(endless())
    for (let read = 1; read <= 3; read += 1) {
      await proofs.next()
      assert.equal(pieces, read)
    }
    await proofs.return()
  })

  it('has bounds, which come before all else', async () => {
    const spaces = (count: number) => ' '.repeat(count)
    assert.deepEqual(await numbersIn(line + spaces(MAX_PROOF_BYTES - line.length)), [1])
    const tooMuch = [
      line + spaces(MAX_PROOF_BYTES + 1 - line.length),
      `{\n${spaces(MAX_PROOF_BYTES)}`,
      `{${'\n '.repeat(MAX_PROOF_LINES)}${line.slice(1)}`,
      '\n'.repeat(MAX_PROOF_LINES + 1),
      `[${'['.repeat(1000)}`,
      '',
    ]
    for (const text of tooMuch) await assert.rejects(numbersIn(text), atStep('form'), text.slice(0, 10))
    assert.throws(() => parseProof(new Uint8Array(MAX_PROOF_BYTES + 1)), atStep('form'))
    assert.throws(() => parseProof(Uint8Array.of(0xff)), atStep('form'))
  })

  it('has at most 10,000 lines', async () => {
    const { file: _, receipt_cbor: __, ...members } = first.proof
    const short = JSON.stringify({ ...members, receipt_cbor: 'AAAA' })
    const lines = (count: number) => Array.from({ length: count }, () => short).join('\n')
    assert.equal((await numbersIn(`${lines(MAX_PROOF_LINES)}\n`, 65_536)).length, MAX_PROOF_LINES)
    await assert.rejects(numbersIn(lines(MAX_PROOF_LINES + 1), 65_536), atStep('form'))
  })

  it('is refused at the first line that is no receipt', async () => {
    for (const wrong of ['{', '{}', '[]', '7', 'null', '"text"'])
      await assert.rejects(numbersIn(`${line}\n${wrong}\n${line}`), atStep('form'), wrong)
  })
})

const BLOB_KEY = fromHex(vectors.key)

/** To 64 blocks: writers take no more than a header needs. */
function padded(header: Uint8Array): Uint8Array {
  return concatBytes(header, new Uint8Array(64 * 1024 - header.length))
}

const contextId = fromHex('0192e8a47c4e7d1a9b1e3f2a5c6d7e02')

describe('the opening of a blob', () => {
  it('is made of what a sender has in memory, and is what the sender saves', async () => {
    const content = contentOf(first)
    const opaqueId = known(parseOpaqueId('6f0d3c2b1a49586776859403122130ff'))
    const kemCt = new Uint8Array(1120)
    const header = { size: content.length, name: 'contracts/a.pdf', batch: opaqueId, batch_index: 2 }
    const sealed = { key: BLOB_KEY, purpose: 'original', contextId: fromHex(opaqueId), header, kemCt } as const
    const sealer = await createSealer(sealed)
    const { tags, size, ciphertextHash } = await hashSealed({ sealer, source: sourceOfBytes(content) })
    const state: SendState = {
      ...{ version: 1, baseUrl: 'https://keep.example', opaqueId, idempotencyKey: 'x', suggestedChunkBytes: 1 },
      ...{ size, ciphertextHash: known(parseSha256Hex(ciphertextHash)) },
      ...{ kemCt: toBase64(kemCt), key: toBase64(BLOB_KEY), salt: toBase64(sealer.salt), header, tags: toBase64(tags) },
    }
    const file = await openingOfState(state)
    const { opening = assert.fail(), ...label } = file
    assert.deepEqual(label, { name: 'a.pdf', folder: 'contracts', size: content.length })
    assert.deepEqual(fromBase64(opening.prefix), sealer.prefix)
    const { receipt } = parseProof(utf8(textOf(first)))
    const saved = JSON.stringify(savedReceipt({ receipt, pins: keys, file }))
    assert.ok(!saved.includes(toBase64(BLOB_KEY)) && !saved.includes(toHex(BLOB_KEY)))
    assert.deepEqual(parseProof(utf8(saved)), { receipt, file, hintedKeys: { ...keys, keys: hinted } })
  })

  it('has a label that gives back the name in the header, whatever it is', async () => {
    const proof = parseProof(utf8(textOf(first)))
    const { payload, ...signed } = await checkSigned(proof, { keys })
    const content = contentOf(first)
    for (const name of [undefined, '', '/', '/a', 'a/', 'a/b/c', 'a//b', '//', '…/ö']) {
      const header = { size: content.length, ...(name !== undefined && { name }) }
      const sealer = await createSealer({ key: BLOB_KEY, purpose: 'original', contextId, header })
      const source = sourceOfBytes(content)
      const { ciphertextHash, size } = await hashSealed({ sealer, source })
      const sent = { ...payload, size, ciphertext_hash: known(parseSha256Hex(ciphertextHash)) }
      const file = await openingOfBlob({ key: BLOB_KEY, contextId, prefix: sealer.prefix })
      const shown = await checkFile({ proof: { ...proof, file }, signed: { ...signed, payload: sent }, source })
      assert.equal(shown.name, name)
    }
  })

  it('may have 64 header blocks, and stays within the bound of a document', async () => {
    const header = padded(encodeCbor(new Map(Object.entries({ size: 0, note: 'n'.repeat(49_152) }))))
    const salt = new Uint8Array(16).fill(7)
    const secrets = streamSecrets({ key: BLOB_KEY, salt, purpose: 'original', contextId })
    const preamble = concatBytes(Uint8Array.of(1), salt, secrets.commitment, Uint8Array.of(64))
    const cipher = await createSegmentCipher(secrets)
    const prefix = concatBytes(preamble, await cipher.seal({ counter: 0, last: false }, header, preamble))
    const { receipt } = parseProof(utf8(textOf(first)))
    const file = await openingOfBlob({ key: BLOB_KEY, contextId, prefix })
    const saved = JSON.stringify(savedReceipt({ receipt, pins: keys, file }))
    assert.ok(saved.length < MAX_PROOF_BYTES && saved.length > 90_000)
    assert.deepEqual(parseProof(utf8(saved)).file, file)
  })

  it('has a secret that opens this blob alone: no metadata, no thumbnail, no other version of the file', async () => {
    const seal = (purpose: 'original' | 'metadata' | 'derivative') =>
      createSealer({ key: BLOB_KEY, purpose, contextId, header: { size: 3, name: 'a' } })
    const { prefix } = await seal('original')
    const { opening = assert.fail() } = await openingOfBlob({ key: BLOB_KEY, contextId, prefix })
    const secret = fromBase64(opening.secret)
    for (const sealer of [await seal('metadata'), await seal('derivative'), await seal('original')])
      for (const purpose of PURPOSES) {
        const own = await readPrefix(async (count) => sealer.prefix.slice(0, count))
        const { key, commitment } = secretsOfBlob(secret, { purpose, contextId })
        assert.ok(!toHex(own).includes(toHex(commitment)))
        const theirs = streamSecrets({ key: BLOB_KEY, salt: sealer.salt, purpose, contextId })
        assert.notDeepEqual(key, theirs.key)
      }
  })

  it('follows with the secret as the stream follows from K', () => {
    const salt = fromBase64(first.proof.file.opening.prefix).slice(1121, 1137)
    const secret = fromBase64(first.proof.file.opening.secret)
    for (const purpose of PURPOSES)
      assert.deepEqual(
        secretsOfBlob(secret, { purpose, contextId }),
        streamSecrets({ key: BLOB_KEY, salt, purpose, contextId }),
      )
  })

  it('is refused for bytes that are not a whole prefix, and for another key', async () => {
    const { prefix } = await createSealer({ key: BLOB_KEY, purpose: 'original', contextId, header: { size: 0 } })
    const blob = { key: BLOB_KEY, contextId, prefix }
    for (const wrong of [{ prefix: prefix.subarray(1) }, { prefix: concatBytes(prefix, prefix) }, { prefix: utf8('') }])
      await assert.rejects(openingOfBlob({ ...blob, ...wrong }), { name: 'SealError' })
    await assert.rejects(openingOfBlob({ ...blob, key: new Uint8Array(32) }), { reason: 'wrong_key' })
  })
})
