/** Readers of proofs about files in other languages, without this library: by all vectors, and by a real proof. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { custodyOf, newOwner, sendFile } from '../../../testing/people.ts'
import vectors from '../../../vectors/openings.json' with { type: 'json' }
import { openingOfState, savedReceipt } from './fileProof.ts'
import { fetchReceipt, publishedKeys } from './receipts.ts'
import { sharedServer } from './testing/sharedServer.ts'

const pathOf = (name: string) => fileURLToPath(new URL(`../../../${name}`, import.meta.url))
const VECTORS = pathOf('vectors/openings.json')
const GO = { cwd: pathOf('examples/check_proof'), encoding: 'utf8' } as const
/** A cold compiler on a busy machine. */
const BUILD_TIMEOUT_MS = 300_000

const { proxy } = await sharedServer()
const directory = await mkdtemp(join(tmpdir(), 'blindkeep-readers-'))
const [proof, file, changed, keys] = ['proof.json', 'file', 'changed', 'keys.json'].map((name) => join(directory, name))
after(() => rm(directory, { recursive: true }))

before(async () => {
  const { url } = await (await newOwner(proxy.url)).createLink()
  const sent = await sendFile(url, randomBytes(2_200_000), { name: 'a/ä.bin', note: 'as agreed' })
  const checked = await fetchReceipt({ custody: custodyOf(sent) })
  const saved = savedReceipt({ receipt: checked.receipt, pins: checked.keys, file: await openingOfState(sent.state) })
  await writeFile(proof ?? '', JSON.stringify(saved))
  await writeFile(file ?? '', sent.content)
  await writeFile(changed ?? '', sent.content.with(2_199_999, (sent.content.at(-1) ?? 0) ^ 1))
  await writeFile(keys ?? '', JSON.stringify(publishedKeys(checked.keys)))
})

function lackOfPython(): string | undefined {
  const { status } = spawnSync('python3', ['-c', 'from cryptography.hazmat.primitives.asymmetric import mldsa'])
  return status === 0 ? undefined : 'needs python3 with cryptography 48 or newer'
}

function lackOfGo(): string | undefined {
  if (spawnSync('go', ['version']).status !== 0) return 'needs Go 1.25 or newer'
  return spawnSync('go', ['mod', 'download'], GO).status === 0 ? undefined : 'needs the Go module proxy'
}

/** The program, built once: a compile takes longer than all checks. */
function builtGo(): readonly string[] {
  const program = join(directory, 'check_proof')
  const { status, stderr } = spawnSync('go', ['build', '-o', program, '.'], { ...GO, timeout: BUILD_TIMEOUT_MS })
  assert.equal(status, 0, stderr)
  return [program]
}

const readers = [
  { name: 'check_proof.py', lack: lackOfPython(), command: () => ['python3', pathOf('examples/check_proof.py')] },
  { name: 'check_proof, in Go,', lack: lackOfGo(), command: builtGo },
]

for (const { name, lack, command } of readers)
  describe(name, { skip: lack ?? false }, () => {
    let [program, args]: [string, readonly string[]] = ['', []]
    before(() => {
      const [first = '', ...others] = command()
      ;[program, args] = [first, others]
    })
    const run = (...given: readonly (string | undefined)[]) =>
      spawnSync(program, [...args, ...given.map((path) => path ?? '')], { encoding: 'utf8' })

    it('agrees with all vectors, step by step', () => {
      const { valid, invalid } = vectors
      const { stdout, stderr } = run(VECTORS)
      assert.equal(stdout, `${valid.length} valid and ${invalid.length} invalid proofs agree.\n`, stderr)
    })

    it('accepts a real proof with its file, and refuses it with a changed one', () => {
      const holds = run(proof, file, keys)
      assert.equal(holds.status, 0, holds.stderr)
      assert.match(holds.stdout, /as agreed/)
      assert.match(holds.stdout, /\nholds\n$/)
      const refused = run(proof, changed, keys)
      assert.deepEqual([refused.status, refused.stdout], [1, ''])
      assert.match(refused.stderr, /^not shown to hold, at the step bytes$/m)
    })
  })
