import assert from 'node:assert/strict'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { describe, it } from 'node:test'
import { systemEnvironment } from '@blindkeep/client/environment'
import { createFastHash } from './fastHash.ts'

/** FIPS 180-4: examples of one block, two blocks, and none. */
const KNOWN = [
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  [
    'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
    '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
  ],
] as const

const inWebAssembly = createFastHash
const inJavaScript = async () => systemEnvironment.createHash()

async function hashOf(create: typeof createFastHash, pieces: readonly Uint8Array[]): Promise<string> {
  const hash = await create()
  for (const piece of pieces) hash.update(piece)
  return hash.digest()
}

function randomPieces(bytes: Uint8Array): readonly Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let from = 0; from < bytes.length; ) {
    const to = Math.min(bytes.length, from + randomInt(1, 40_000))
    pieces.push(bytes.subarray(from, to))
    from = to
  }
  return pieces
}

describe('the fast hash', () => {
  it('is that of the standard’s examples', async () => {
    for (const [text, expected] of KNOWN)
      for (const create of [inWebAssembly, inJavaScript])
        assert.equal(await hashOf(create, [new TextEncoder().encode(text)]), expected)
  })

  it('is the same in WebAssembly and JavaScript, however the file is split', async () => {
    for (let round = 0; round < 20; round++) {
      const bytes = randomBytes(randomInt(0, 300_000))
      const expected = createHash('sha256').update(bytes).digest('hex')
      for (const create of [inWebAssembly, inJavaScript])
        assert.equal(await hashOf(create, randomPieces(bytes)), expected)
    }
  })

  it('does not mix files that are hashed at the same time', async () => {
    const [first, second] = [await createFastHash(), await createFastHash()]
    first.update(new TextEncoder().encode('ab'))
    second.update(new TextEncoder().encode('abcd'))
    first.update(new TextEncoder().encode('c'))
    assert.equal(first.digest(), KNOWN[1][1])
    assert.equal(second.digest(), createHash('sha256').update('abcd').digest('hex'))
  })

  it('is computed in JavaScript where WebAssembly is refused', async (test) => {
    const compile = test.mock.method(WebAssembly, 'compile', () => Promise.reject(new WebAssembly.CompileError()))
    const instantiate = test.mock.method(WebAssembly, 'instantiate', compile)
    assert.equal(await hashOf(createFastHash, [new TextEncoder().encode('abc')]), KNOWN[1][1])
    assert.ok(compile.mock.callCount() + instantiate.mock.callCount() > 0)
  })
})
