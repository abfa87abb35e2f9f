/** `blindkeep verify`, `receipts` and `audit` as processes, against servers that lie and one that was set back. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { sourceOfBytes } from '@blindkeep/client/source'
import { checkReceipts } from '../../../../conformance/checker/check.ts'
import { type Body, changedReceipts, changedVerdict, keysAnswer } from '../../../../testing/maliciousAssets.ts'
import { changeBody, flipInBase64 } from '../../../../testing/maliciousServer.ts'
import { sendFile } from '../../../../testing/people.ts'
import { assetIdsOf, newCliKeeper } from '../testing/keeper.ts'
import { factsOf, openWorld } from '../testing/world.ts'

const world = await openWorld()
const { run, facts, root } = world
const { owner, as } = await newCliKeeper(world, 'ada')
const profile = join(root, 'home', 'profiles', 'ada')

async function uploaded(name: string): Promise<string> {
  const path = await world.folder('files', { [name]: randomBytes(1000) })
  const [landed] = await facts(['upload', join(path, name), '--album', 'Scans', ...as])
  return landed.asset_id
}

const [first, second] = [await uploaded('first.bin'), await uploaded('second.bin')]

describe('blindkeep verify', () => {
  it('says of all files that they are held, and with --deep that every byte was read', async () => {
    const answers = await facts(['verify', ...as])
    assert.deepEqual(answers.at(-1), { event: 'done', held: 2, doubted: 0, depth: 'structural' })
    const [deep, done] = await facts(['verify', 'first.bin', '--deep', ...as])
    assert.deepEqual([deep.asset_id, deep.examined, done.held], [first, 'deep', 1])
  })

  it('says of all files what it did not ask: the inbox, and what the server knows of it', async () => {
    const { url } = await owner.createLink()
    for (const name of ['a', 'b']) await sendFile(url, randomBytes(100), { name })
    const whole = await run(['verify', ...as])
    assert.equal(whole.status, 0, whole.stderr)
    assert.match(whole.stdout, /^The inbox has 2 files, which were not verified: the server knows of no damage\.$/m)
    const [held] = await owner.inbox()
    const hold = ['hold', 'add', held?.ciphertextHash ?? '', '--reason', 'a test']
    assert.equal((await world.server.command(hold)).status, 0)
    const withheld = await run(['verify', '--json', ...as])
    assert.equal(withheld.status, 1)
    const inbox = factsOf(withheld).find(({ event }) => event === 'inbox')
    assert.deepEqual(inbox, { event: 'inbox', files: 2, damaged: 0, held: 1 })
    const list = await run(['inbox', 'list', ...as])
    assert.equal(list.status, 1)
    assert.match(list.stderr, /The operator of the server withholds it/)
    for (const { dropId } of await owner.inbox()) await owner.discardDrop(dropId)
  })

  it('says what is in doubt, and exits with 1 for a loss and with 3 for a lie', async () => {
    world.proxy.tamper(
      changedVerdict((verdict) => {
        verdict.durable = false
      }),
    )
    const lost = await run(['verify', first, '--json', ...as])
    world.proxy.tamper(
      changedVerdict(({ blobs }) => {
        for (const blob of blobs) blob.hash = 'ab'.repeat(32)
      }),
    )
    const lied = await run(['verify', first, second, ...as])
    world.proxy.tamper()
    assert.equal(lost.status, 1, lost.stderr)
    assert.deepEqual(
      factsOf(lost).map(({ event, reason }) => [event, reason]),
      [
        ['doubted', 'not_durable'],
        ['done', undefined],
      ],
    )
    assert.equal(lied.status, 3, lied.stderr)
    assert.match(lied.stderr, /first\.bin: Tampering detected/)
    assert.match(lied.stdout, /0 of 2 files are held .* 2 are in doubt/)
  })
})

describe('blindkeep receipts', () => {
  it('lists, checks and saves them, and exits with 3 for a changed one', async () => {
    const listed = await facts(['receipts', first, '--check', '--to', 'receipts', ...as])
    assert.deepEqual(
      listed.map(({ blob_role, checked }) => [blob_role, checked]),
      [
        ['original', true],
        ['metadata', true],
        ['provenance', true],
      ],
    )
    assert.match(
      (await run(['receipts', first, '--check', ...as])).stderr,
      /^3 receipts were checked, and all hold\.$/m,
    )
    const saved = JSON.parse(await readFile(join(root, listed[0].receipt_file), 'utf8'))
    assert.equal(saved.receipts[0].receipt_seq, listed[0].receipt_seq)
    const shown = await facts(['receipt', 'check', listed[0].receipt_file])
    assert.deepEqual(
      shown.map(({ event, blob_role }) => [event, blob_role]),
      listed.map(({ blob_role }) => ['signed', blob_role]),
    )
    world.proxy.tamper(changedReceipts((all) => all.map(unsigned)))
    const changed = await run(['receipts', '--check', ...as])
    const unchecked = await facts(['receipts', ...as])
    world.proxy.tamper()
    assert.equal(changed.status, 3)
    assert.match(changed.stderr, /The receipt does not hold/)
    assert.match(changed.stderr, /^0 of 6 receipts hold\./m)
    assert.ok(unchecked.length === 6 && unchecked.every(({ checked }) => checked === undefined))
  })
})

/** With a bit of a signature flipped. */
const unsigned = (receipt: Body): Body => ({ ...receipt, receipt_cbor: flipInBase64(receipt.receipt_cbor, 3000) })

describe('blindkeep audit', () => {
  it('finds nothing at an honest server, and remembers each receipt once', async () => {
    const [done] = await facts(['audit', ...as])
    const expected = { assets: 2, receipts: 6, saved_receipts: 6, seen_before: 6, contradictions: 0 }
    assert.deepEqual(done, { event: 'done', ...expected })
    const [again] = await facts(['audit', ...as])
    assert.equal(again.seen_before, 6)
  })

  it('saves the receipts that do not hold, and exits with 3', async () => {
    world.proxy.tamper(changedReceipts((all) => all.map(unsigned)))
    const outcome = await run(['audit', '--json', ...as])
    world.proxy.tamper()
    assert.equal(outcome.status, 3, outcome.stderr)
    const [found, other, done] = factsOf(outcome)
    assert.deepEqual([found.event, found.reason, other.event], ['contradiction', 'signature_invalid', 'contradiction'])
    assert.deepEqual([done.event, done.contradictions], ['done', 2])
    const [name = ''] = await readdir(done.evidence)
    const evidence = JSON.parse(await readFile(join(done.evidence, name), 'utf8'))
    assert.deepEqual([evidence.receipts.length, evidence.keys.length], [3, 1])
    const judged = await checkReceipts(evidence.receipts, { keys: evidence, moves: evidence })
    assert.deepEqual(new Set(judged.faults.map(({ kind }) => kind)), new Set(['signature']))
    assert.match(outcome.stderr, /Keep .*evidence.* and all saved receipts/)
  })

  it('refuses a server that has other keys than before', async () => {
    world.proxy.tamper({
      matches: keysAnswer,
      answer: changeBody((body) => {
        const [key] = Array.isArray(body.keys) ? body.keys : []
        body.keys = [{ ...key, active_from: '2020-01-01T00:00:00.000Z' }]
      }),
    })
    const { status, stderr } = await run(['audit', ...as])
    world.proxy.tamper()
    assert.deepEqual([status, /The server’s keys do not hold/.test(stderr)], [3, true], stderr)
  })

  it('says when a saved receipt was damaged here, and goes on with the others', async () => {
    const path = join(profile, 'receipts', `${first}.blindkeep-receipt.json`)
    const honest = await readFile(path, 'utf8')
    await writeFile(path, honest.slice(0, 100))
    const { status, stderr, stdout } = await run(['audit', ...as])
    await writeFile(path, honest)
    assert.deepEqual(
      [status, /It is damaged/.test(stderr), /6 receipts of 2 files/.test(stdout)],
      [1, true, true],
      stderr,
    )
  })

  it('finds out that a server was set back and has signed the same numbers again', async () => {
    const { server } = world
    const older = join(root, 'older')
    await server.terminate()
    await cp(server.dataDir, older, { recursive: true })
    await server.restart()
    await uploaded('forgotten.bin')
    await server.terminate()
    await rm(server.dataDir, { recursive: true })
    await cp(older, server.dataDir, { recursive: true })
    await server.restart()
    // As many changes as before: the list of changes does not tell.
    const device = await owner.addDevice(undefined, { tie: false })
    const [{ albumId: album } = assert.fail()] = await owner.albums()
    for (const name of ['a', 'b']) await owner.upload({ source: sourceOfBytes(Buffer.from(name)), name, album, device })
    assert.equal((await assetIdsOf(owner)).length, 4)
    const outcome = await run(['audit', '--json', ...as])
    assert.equal(outcome.status, 3, outcome.stderr)
    const events = factsOf(outcome)
    const found = events.filter(({ event }) => event === 'contradiction')
    assert.ok(found.length > 0 && found.every(({ reason }) => /fork|two_receipts/.test(reason)), outcome.stdout)
    const { evidence } = events.at(-1)
    const texts = await Promise.all((await readdir(evidence)).map((name) => readFile(join(evidence, name), 'utf8')))
    assert.ok(texts.some((text) => JSON.parse(text).receipts.length >= 3))
  })
})
