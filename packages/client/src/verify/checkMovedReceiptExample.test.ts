/** The two examples that check receipts of a server that has moved, by all vectors of such servers. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { fromBase64 } from '@blindkeep/protocol/bytes'
import { readReceipt } from '@blindkeep/protocol/receipt'
import vectors from '../../../../vectors/moves.json' with { type: 'json' }

const pathOf = (name: string) => fileURLToPath(new URL(`../../../../${name}`, import.meta.url))
const directory = await mkdtemp(join(tmpdir(), 'blindkeep-moved-example-'))
after(() => rm(directory, { recursive: true }))

type Claims = Omit<(typeof vectors.invalid)[number], 'reason'>
type Statement = { readonly leave: string; readonly arrive: string }

function keysOf({ server_id, keys }: Claims) {
  const publicOf = (id: string) => vectors.keys.find(({ key_id }) => key_id === id)?.public
  return { server_id, keys: keys.map((key) => ({ ...key, public: publicOf(key.key_id) })) }
}

function movesOf({ server_id, moves, rotations }: Claims) {
  const statementOf = (name: string) => vectors.statements.find((statement) => statement.name === name)
  return { server_id, moves: moves.map(statementOf), rotations: rotations.map(statementOf) }
}

const withMoves = (claims: Claims, moves: readonly Statement[]) => ({ ...movesOf(claims), moves })

interface Case {
  readonly receipt: string
  readonly server_id: string
  readonly documents: Readonly<Record<string, unknown>>
}

interface Judged {
  readonly holds: boolean
  readonly output: string
  readonly errors: string
}

/**
 * Each program runs its example once for each of the cases, in one process, because a process takes longer to start
 * than a check. No server answers at the addresses of the vectors, so the case has the answers.
 */
const PROGRAMS = {
  'checkMovedReceipt.mjs': {
    lack: undefined,
    command: process.execPath,
    file: 'run.mjs',
    script: `
import { readFileSync } from 'node:fs'
process.setMaxListeners(0)
const [cases, results] = [JSON.parse(readFileSync(process.argv[2], 'utf8')), []]
const { log } = console
for (const [index, { path, server_id, documents }] of cases.entries()) {
  let [output, errors] = ['', '']
  globalThis.fetch = async (url) => {
    const found = documents[String(url).split('/').at(-1)]
    return new Response(JSON.stringify(found ?? {}), { status: found ? 200 : 404 })
  }
  console.log = (form, ...values) => void (output += form.replace('%O', () => JSON.stringify(values)) + '\\n')
  process.argv.splice(2, 9, server_id, path)
  await import(${JSON.stringify(pathToFileURL(pathOf('packages/protocol/examples/checkMovedReceipt.mjs')).href)} + '?' + index)
    .catch((error) => (errors = error.code === 'ERR_ASSERTION' ? 'not shown to hold: ' + error.message : String(error.stack)))
  results.push({ holds: errors === '', output, errors })
}
log(JSON.stringify(results))`,
  },
  'check_receipt.py': {
    lack:
      spawnSync('python3', ['-c', 'from cryptography.hazmat.primitives.asymmetric import mldsa']).status === 0
        ? undefined
        : 'needs python3 with cryptography 48 or newer',
    command: 'python3',
    file: 'run.py',
    script: `
import contextlib, io, json, runpy, sys, urllib.error, urllib.request
results = []
for case in json.load(open(sys.argv[1])):
    def answer(url):
        found = case["documents"].get(url.split("/")[-1])
        if found is None:
            raise urllib.error.HTTPError(url, 404, "", {}, None)
        return io.BytesIO(json.dumps(found).encode())
    urllib.request.urlopen = answer
    sys.argv[1:] = [case["server_id"], case["path"]]
    output, errors = io.StringIO(), ""
    try:
        with contextlib.redirect_stdout(output):
            runpy.run_path(${JSON.stringify(pathOf('examples/check_receipt.py'))}, run_name="__main__")
    except SystemExit as end:
        errors = end.code
    results.append({"holds": errors == "", "output": output.getvalue(), "errors": errors})
print(json.dumps(results))`,
  },
} as const

async function judge(
  { command, script, file }: (typeof PROGRAMS)[keyof typeof PROGRAMS],
  cases: readonly Case[],
): Promise<readonly Judged[]> {
  const folder = await mkdtemp(join(directory, 'run-'))
  const given = cases.map(async ({ receipt, ...others }, index) => {
    const path = join(folder, `${index}.json`)
    await writeFile(path, JSON.stringify(readReceipt(fromBase64(receipt))))
    return { path, ...others }
  })
  await writeFile(join(folder, file), script)
  await writeFile(join(folder, 'cases.json'), JSON.stringify(await Promise.all(given)))
  const child = spawn(command, [join(folder, file), join(folder, 'cases.json')])
  const ended = once(child, 'close')
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  await ended
  assert.equal(child.exitCode, 0, errors)
  const judged: readonly Judged[] = JSON.parse(output)
  assert.equal(judged.length, cases.length)
  // A refusal is a sentence, never a fault of the example.
  for (const one of judged) if (!one.holds) assert.match(one.errors, /^not shown to hold: /)
  return judged
}

const first = vectors.receipts.judged[0]?.receipt_cbor ?? ''
const claims = vectors.valid.find(({ name }) => name === vectors.receipts.of)
assert.ok(claims)

for (const [name, program] of Object.entries(PROGRAMS))
  describe(name, { skip: program.lack ?? false }, () => {
    const { server_id } = claims
    const documents = { 'attestation-keys': keysOf(claims), moves: movesOf(claims) }

    it('judges receipts of both names as the vectors do, and says a former name only as the server’s claim', async () => {
      const { judged } = vectors.receipts
      const results = await judge(
        program,
        judged.map(({ receipt_cbor: receipt }) => ({ receipt, server_id, documents })),
      )
      for (const [index, { name: which, fault }] of judged.entries()) {
        const { holds, errors } = results[index] ?? { holds: undefined, errors: '' }
        assert.equal(holds, fault === null, `${which}: ${errors}`)
        assert.equal(/denies it/.test(errors), fault === 'outside_era' || fault === 'head_differs', which)
      }
      const said = results.filter(({ holds }) => holds).map(({ output }) => output.trim().split('\n').at(-1))
      const sentence = (was: string, until: string) =>
        `signed by a key that ${server_id} lists as its own; it says that it was ${was} until ${until}`
      const left = [sentence(server_id, '2026-03-02T00:00:00.000Z')]
      const moved = [sentence('https://keep.example', '2026-05-01T12:00:00.001Z')]
      assert.deepEqual(said, [...left, ...left, ...moved, ...moved, ...moved, 'holds'])
    })

    it('refuses every receipt under statements that the vectors refuse', async () => {
      const cases = vectors.invalid.map((one) => ({
        receipt: first,
        server_id: one.server_id,
        documents: { 'attestation-keys': keysOf(one), moves: movesOf(one) },
      }))
      for (const [index, { holds }] of (await judge(program, cases)).entries())
        assert.equal(holds, false, vectors.invalid[index]?.name)
    })

    it('needs the signatures of both keys', async () => {
      const one = vectors.valid.find(({ name: which }) => which === 'one move')
      const [good] = vectors.statements
      assert.ok(one && good)
      const reasons = /^(ed25519_invalid|ml_dsa_65_invalid|signatures|wrong_signer|payloads_differ|content_type)$/
      const forged = vectors.invalid_statements.filter(({ reason }) => reasons.test(reason))
      assert.ok(forged.length > 10)
      const cases = [good, ...forged].map((statement) => ({
        receipt: first,
        server_id: one.server_id,
        documents: { 'attestation-keys': keysOf(one), moves: withMoves(one, [statement]) },
      }))
      const [real, ...others] = await judge(program, cases)
      assert.equal(real?.holds, true, real?.errors)
      for (const [index, { holds }] of others.entries()) assert.equal(holds, false, forged[index]?.name)
    })

    it('takes names and times only in their one form, because it prints them', async () => {
      const one = vectors.valid.find(({ name: which }) => which === 'one move')
      assert.ok(one)
      const names = ['payload: a from with a path', 'payload: a to in capitals', 'payload: a time without milliseconds']
      const cases = names.map((which) => {
        const statement = vectors.invalid_statements.find(({ name }) => name === which) ?? assert.fail(which)
        const documents = { 'attestation-keys': keysOf(one), moves: withMoves(one, [statement]) }
        return { receipt: first, server_id: one.server_id, documents }
      })
      for (const { holds, errors } of await judge(program, cases)) {
        assert.equal(holds, false)
        assert.match(errors, /origin|time|malformed/)
      }
    })

    it('takes the present name alone from a server without statements, whatever keys there are', async () => {
      const [older, newer] = claims.keys
      assert.ok(older && newer)
      const { active_to: _, ...active } = newer
      const keys = { 'attestation-keys': keysOf({ ...claims, keys: [older, active] }) }
      const foreign = vectors.receipts.judged[2]?.receipt_cbor ?? ''
      const results = await judge(
        program,
        [first, foreign].map((receipt) => ({ receipt, server_id, documents: keys })),
      )
      assert.deepEqual(
        results.map(({ holds }) => holds),
        [true, false],
      )
    })
  })
