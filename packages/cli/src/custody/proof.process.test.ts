/** Proofs about files as processes: saved by `drop` and `receipts`, checked by `receipt check` on another machine. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { appendFile, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parsePublishedKeys } from '@blindkeep/client/receipts'
import { fromBase64 } from '@blindkeep/protocol/bytes'
import { readReceipt } from '@blindkeep/protocol/receipt'
import { isRequest } from '../../../../testing/maliciousServer.ts'
import { openedDrops } from '../../../../testing/people.ts'
import { issue, receiptFields } from '../../../../vectors/make/receipts.ts'
import { createTestKey } from '../../../../vectors/make/testKey.ts'
import moves from '../../../../vectors/moves.json' with { type: 'json' }
import { bury, pin } from '../home/pins.ts'
import { newCliKeeper } from '../testing/keeper.ts'
import { factsOf, openSharedWorld } from '../testing/world.ts'

const world = await openSharedWorld()
const { run, facts, root, proxy } = world
const { owner, as } = await newCliKeeper(world, 'ada')
const link = await owner.createLink()
/** Of a person who has met no server. */
const elsewhere = { env: { BLINDKEEP_HOME: join(root, 'elsewhere') } }

const content = randomBytes(300_000)
const folder = await world.folder('sent', { 'contract.pdf': content, 'same.pdf': content, empty: new Uint8Array() })
const file = join(folder, 'contract.pdf')
const proof = `${file}.blindkeep-proof.json`
const sending = ['drop', link.url, folder, '--note', 'as agreed\u001b[2J\nKeys: mine', '--sender', 'Ada', '--proof']
const sent = await run([...sending, '--json'])
assert.equal(sent.status, 0, sent.stderr)

const keys = join(root, 'keys.json')
const published = await (await fetch(`${proxy.url}/.well-known/service/attestation-keys`)).text()
await writeFile(keys, published)

const check = (args: readonly string[], call = {}) => run(['receipt', 'check', ...args], call)

describe('blindkeep drop --proof', () => {
  it('saves a proof beside each file for its user alone, and sends none of them', async () => {
    const landed = factsOf(sent).filter(({ event }) => event === 'landed')
    assert.deepEqual(landed.map((fact) => fact.proof_file).toSorted(), [
      proof,
      join(folder, 'empty.blindkeep-proof.json'),
      join(folder, 'same.pdf.blindkeep-proof.json'),
    ])
    if (process.platform !== 'win32') assert.equal((await stat(proof)).mode & 0o777, 0o600)
    const again = await run([...sending, '--again', '--json'])
    assert.equal(again.status, 0, again.stderr)
    assert.equal((await openedDrops(owner)).length, 6)
    assert.ok((await readdir(folder)).includes('contract.pdf (2).blindkeep-proof.json'))
  })

  it('keeps what is there, and says of a file that had landed before that its key is forgotten', async () => {
    const before = await readFile(proof, 'utf8')
    const { status, stderr } = await run(sending)
    assert.equal(status, 1)
    assert.match(stderr, /contract\.pdf: It had landed before, and its key was forgotten then/)
    assert.equal(await readFile(proof, 'utf8'), before)
  })

  it('saves no proof that does not hold: the file was changed while it was sent', async () => {
    const changing = join(await world.folder('changing', { 'a.bin': randomBytes(1000) }), 'a.bin')
    proxy.tamper({
      matches: ({ path }) => path.endsWith('/receipt'),
      answer: (answer) => {
        writeFileSync(changing, randomBytes(1000))
        return answer
      },
    })
    const { status, stderr } = await run(['drop', link.url, changing, '--proof'])
    proxy.tamper()
    assert.equal(status, 1)
    assert.match(stderr, /It has landed, and no proof was saved\. It is not shown to hold, at the step bytes/)
    assert.deepEqual(await readdir(join(changing, '..')), ['a.bin', 'a.bin.blindkeep-receipt.json'])
  })
})

describe('blindkeep receipt check', () => {
  it('shows without the file what is signed, and nothing that only the file can show', async () => {
    const { status, stdout, stderr } = await check([proof])
    assert.equal(status, 0, stderr)
    assert.match(
      stdout,
      /^The server http:\/\/127\.0\.0\.1:\d+ signed that at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC it had/,
    )
    assert.match(stdout, /Checked with the keys that this machine knows since /)
    assert.match(stderr, /What file that was, only the file shows.*It does not show through which link/)
    const { stdout: json } = await check([proof, '--json'])
    assert.doesNotMatch(stdout + json, /contract|Ada|agreed/)
  })

  it('shows with the file what its header says, as text', async () => {
    const { status, stdout, stderr } = await check([proof, file])
    assert.equal(status, 0, stderr)
    assert.match(stdout, /contract\.pdf of 300,000 bytes gives exactly these bytes\.$/m)
    assert.match(
      stdout,
      /^ {2}name: sent\/contract\.pdf$\n^ {2}sender: Ada$\n^ {2}note: as agreed\ufffd\[2J\ufffdKeys: mine$/m,
    )
    assert.match(stderr, /who sent it, or that the server still has it/)
    const [fact] = await facts(['receipt', 'check', proof, file])
    assert.deepEqual([fact.event, fact.keys_from, fact.file.name], ['holds', 'pins', 'sent/contract.pdf'])
    assert.equal((await check([proof, join(folder, 'same.pdf')])).status, 0)
  })

  it('does not say whose the key is if it came with the proof, and says so if keys come from elsewhere', async () => {
    const alone = await check([proof, file], elsewhere)
    assert.equal(alone.status, 2)
    assert.match(alone.stdout, /^The key [0-9a-f]{16}… signed, in the name of http/)
    assert.match(alone.stdout, /Nothing here says that the key is that of http/)
    assert.deepEqual(
      factsOf(await check([proof, file, '--json'], elsewhere)).map(({ event, keys_from }) => [event, keys_from]),
      [['unknown_key', 'proof']],
    )
    for (const [from, args] of [
      ['file', ['--keys', keys]],
      ['address', ['--keys', proxy.url]],
      ['address', ['--server', proxy.url]],
      ['address', ['--server', proxy.url.replace('//', '/')]],
      ['file', ['--keys', keys, '--server', proxy.url]],
    ] as const) {
      const [fact] = await facts(['receipt', 'check', proof, file, ...args], elsewhere)
      assert.deepEqual([fact.event, fact.keys_from], ['holds', from])
    }
  })

  it('says that this machine knows other keys of the server', async () => {
    const forged = issue({ ...FORGED, server_id: proxy.url }, createTestKey(0x40))
    const [{ key_id, public: bytes }, path] = [createTestKey(0x40).described, join(root, 'forged.json')]
    const key = { key_id, public: bytes, algorithm: 'hybrid-ed25519-mldsa65', active_from: '2026-01-01T00:00:00.000Z' }
    await writeFile(path, JSON.stringify({ ...readReceipt(forged), keys: [key] }))
    const { status, stdout } = await check([path])
    assert.equal(status, 2)
    assert.match(stdout, /it came with the proof\. This machine knows other keys of http/)
    assert.match((await check([path, '--server', proxy.url])).stderr, /at the step key/)
  })

  it('takes no keys from a receipt, over http from elsewhere, or of another server', async () => {
    const refused: readonly (readonly [readonly string[], number, RegExp])[] = [
      [['--keys', proof], 1, /is a receipt\. Keys that come with a receipt/],
      [['--keys', file], 1, /is not JSON/],
      [['--keys', `${file}.keys`], 1, /does not exist/],
      [['--keys', 'http://keep.example'], 2, /Over http, any machine/],
      [['--server', 'keep.example'], 2, /is an address as in/],
      [['--keys', keys, '--server', 'https://keep.example'], 1, /at the step server/],
    ]
    for (const [args, status, words] of refused) {
      const outcome = await check([proof, file, ...args, '--json'], elsewhere)
      const [fact, ...more] = factsOf(outcome)
      assert.deepEqual([outcome.status, fact.event, more], [status, 'failed', []], args.join(' '))
      assert.equal(fact.number, status === 1 ? 1 : undefined)
      assert.match(outcome.stderr, words)
    }
    const other = JSON.parse(published)
    other.keys[0].active_from = '2199-01-01T00:00:00.000Z'
    await writeFile(join(root, 'later.json'), JSON.stringify(other))
    assert.match((await check([proof, file, '--keys', join(root, 'later.json')])).stderr, /at the step key/)
  })

  it('names the step that a changed file, or a changed proof, fails at', async () => {
    const whole = JSON.parse(await readFile(proof, 'utf8'))
    const changed = Uint8Array.from(content)
    changed[299_999] = (changed[299_999] ?? 0) ^ 1
    const paths = await pathsOf({
      changed,
      longer: Buffer.concat([content, Buffer.alloc(1)]),
      'renamed.json': Buffer.from(JSON.stringify({ ...whole, file: { ...whole.file, name: 'other.pdf' } })),
      'other-size.json': Buffer.from(JSON.stringify({ ...whole, size: whole.size + 1 })),
      'no.json': Buffer.from('{}'),
    })
    const empty = join(folder, 'empty.blindkeep-proof.json')
    for (const [step, args] of [
      ['bytes', [proof, paths.changed]],
      ['length', [proof, paths.longer]],
      ['length', [empty, file]],
      ['name', [paths['renamed.json'], file]],
      ['members', [paths['other-size.json'], file]],
      ['form', [paths['no.json'], file]],
      ['form', [`${file}.blindkeep-receipt.json`, file, '--keys', keys]],
    ] as const) {
      const { status, stdout, stderr } = await check(
        args.map((arg) => arg ?? ''),
        elsewhere,
      )
      assert.deepEqual([status, stdout], [1, ''], step)
      assert.match(stderr, new RegExp(`is not shown to hold, at the step ${step}:`))
    }
  })

  it('waits for no pipe and no device in the place of the file', async () => {
    for (const other of [folder, ...(process.platform === 'win32' ? [] : ['/dev/zero'])]) {
      const { status, stderr } = await check([proof, other, '--keys', keys])
      assert.deepEqual([status, stderr], [1, `blindkeep: ${other} is no file. Name a file that has the bytes.\n`])
    }
  })

  it('finds the proof of a file among many, also on standard input, and says if none is', async () => {
    const lines = await Promise.all(
      ['empty', 'contract.pdf'].map(async (name) =>
        JSON.stringify(JSON.parse(await readFile(join(folder, `${name}.blindkeep-proof.json`), 'utf8'))),
      ),
    )
    const input = Buffer.from(lines.join('\n'))
    assert.equal((await check(['-', file], { input })).status, 0)
    const all = await check(['-', '--json'], { input })
    assert.deepEqual([all.status, factsOf(all).length], [0, 2])
    const none = await check(['-', proof], { input })
    assert.equal(none.status, 1)
    assert.match(none.stderr, /None of 2 proofs is about this file\. .*at the step length/)
    const broken = await check(['-'], { input: Buffer.from(`${lines[0]}\n{"a":`) })
    assert.equal(broken.status, 1)
    assert.match(broken.stderr, /Number 2: It is not shown to hold, at the step form/)
    assert.match(broken.stdout, /^The server /)
  })

  it('checks a saved receipt too, and needs no account and no network for it', async () => {
    const seen = proxy.seen.length
    const { status, stdout } = await check([`${file}.blindkeep-receipt.json`])
    assert.equal(status, 0)
    assert.match(stdout, /^The server .* receipt \d+\./)
    const named = await check([`${file}.blindkeep-receipt.json`, file])
    assert.equal(named.status, 1)
    assert.match(named.stderr, /only receipts here, and a receipt names no file.*receipts FILE --proof/)
    const unknown = await check([`${file}.blindkeep-receipt.json`], elsewhere)
    assert.match(unknown.stderr, /at the step key: it has no key/)
    assert.equal(proxy.seen.length, seen)
  })
})

describe('blindkeep receipt check, of a server that has moved', () => {
  const claims = moves.valid.find(({ name }) => name === moves.receipts.of) ?? assert.fail()
  const statementOf = (wanted: string) => moves.statements.find(({ name }) => name === wanted)
  const listed = claims.keys.map((key) => ({
    algorithm: 'hybrid-ed25519-mldsa65',
    ...key,
    public: publicOf(key.key_id),
  }))
  const lists = { moves: claims.moves.map(statementOf), rotations: claims.rotations.map(statementOf) }
  const published = { server_id: claims.server_id, keys: listed, ...lists }
  const judged = moves.receipts.judged.map(({ fault, receipt_cbor }) => ({
    fault,
    receipt: readReceipt(fromBase64(receipt_cbor)),
  }))
  const isFormer = ({ receipt: { server_id } }: (typeof judged)[number]) => server_id !== claims.server_id
  const { receipt: former } = judged.find((one) => one.fault === null && isFormer(one)) ?? assert.fail()
  const saysFormerly = `A key that ${claims.server_id} lists as its own signed, in its former name ${former.server_id},`

  it('says a former name only as what the server lists and signed then', async () => {
    const paths = await pathsOf({
      'moved-keys.json': Buffer.from(JSON.stringify(published)),
      'former.json': Buffer.from(JSON.stringify(former)),
    })
    const args = [paths['former.json'] ?? '', '--keys', paths['moved-keys.json'] ?? '', '--server']
    const { status, stdout } = await check([...args, claims.server_id], elsewhere)
    assert.equal(status, 0)
    assert.ok(stdout.startsWith(saysFormerly))
    assert.match((await check([...args, 'https://third.example'], elsewhere)).stderr, /at the step server/)
  })

  it('that was followed, knows when the former name ended', async () => {
    const BLINDKEEP_HOME = join(root, 'followed')
    const now = await parsePublishedKeys(published)
    const index = now.keys.findIndex(({ keyId }) => keyId === former.server_key_id)
    const { activeTo: _, ...last } = now.keys[index] ?? assert.fail()
    const keys = [...now.keys.slice(0, index), last]
    await pin(BLINDKEEP_HOME, now)
    await bury(BLINDKEEP_HOME, { serverId: former.server_id, keys, movedTo: now.serverId })
    const later = judged.filter((one) => one.fault === 'outside_era' && isFormer(one)).map(({ receipt }) => receipt)
    assert.ok(later.length > 0)
    const input = Buffer.from([former, ...later].map((receipt) => JSON.stringify(receipt)).join('\n'))
    for (const server of [[], ['--server', former.server_id], ['--server', now.serverId]]) {
      const { status, stdout, stderr } = await check(['-', ...server], { env: { BLINDKEEP_HOME }, input })
      assert.equal(status, 1, stdout)
      assert.ok(stdout.startsWith(saysFormerly), stderr)
      assert.equal(stdout.split('\n').length, 2)
      assert.equal(stderr.match(/at the step key/g)?.length, later.length)
    }
  })
})

/** By a key that calls itself the server's. */
const FORGED = { ...receiptFields, receipt_seq: 1, received_at: '2026-03-01T10:20:30.456Z' }

function publicOf(id: string) {
  return moves.keys.find(({ key_id }) => key_id === id)?.public
}

async function pathsOf<Name extends string>(files: Readonly<Record<Name, Uint8Array>>) {
  const path = await world.folder('changed', files)
  return Object.fromEntries(Object.keys(files).map((name) => [name, join(path, name)]))
}

describe('blindkeep receipts --proof', () => {
  it('saves a proof of an own file and of an adopted drop, that others can check', async () => {
    const [own] = await facts(['upload', join(folder, 'same.pdf'), '--album', 'Scans', ...as])
    const [drop = assert.fail()] = (await openedDrops(owner)).filter(
      ({ file: { name } }) => name === 'sent/contract.pdf',
    )
    const { asset_id: adopted } = (await facts(['inbox', 'adopt', drop.dropId, '--album', 'Scans', ...as]))[0]
    const saved = await facts(['receipts', own.asset_id, adopted, '--proof', '--to', 'proofs', ...as])
    assert.deepEqual(
      saved.map(({ event }) => event),
      ['proof_saved', 'proof_saved'],
    )
    for (const { asset_id, proof_file: path } of saved) {
      if (process.platform !== 'win32') assert.equal((await stat(join(root, path))).mode & 0o777, 0o600)
      const [fact] = await facts(['receipt', 'check', path, file, '--keys', keys], elsewhere)
      assert.deepEqual([fact.event, fact.file.sender], ['holds', asset_id === adopted ? 'Ada' : undefined])
      const { account_id, album_id, ...said } = JSON.parse(await readFile(join(root, path), 'utf8'))
      assert.deepEqual([account_id, album_id, said.asset_id], [undefined, undefined, undefined])
    }
    // The same again is the same file; another one under its name stays.
    const [one = assert.fail()] = saved
    const again = ['receipts', one.asset_id, '--proof', '--to', 'proofs', ...as]
    assert.equal((await facts(again))[0].proof_file, one.proof_file)
    await appendFile(join(root, one.proof_file), ' ')
    assert.match((await facts(again))[0].proof_file, / \(2\)\.blindkeep-proof\.json$/)
  })

  it('is for named files, and saves nothing that does not hold', async () => {
    assert.equal((await run(['receipts', '--proof', ...as])).status, 2)
    assert.equal((await run(['receipts', 'any', '--proof', '--check', ...as])).status, 2)
    proxy.tamper({
      matches: isRequest('GET', /\/v1\/blob\//),
      answer: ({ headers, body }) => ({ headers, body: body.length > 200_000 ? flipped(body) : body }),
    })
    const lied = await run(['receipts', 'same.pdf', '--proof', '--to', 'none', ...as])
    proxy.tamper()
    assert.equal(lied.status, 3, lied.stderr)
    assert.deepEqual(await readdir(join(root, 'none')), [])
  })
})

function flipped(body: Buffer): Buffer {
  const bytes = Buffer.from(body)
  bytes[150_000] = (bytes[150_000] ?? 0) ^ 1
  return bytes
}
