/** Links and albums at the command line. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { changeBody, flipInBase64, isRequest } from '../../../../testing/maliciousServer.ts'
import { until } from '../../../../testing/until.ts'
import { factsOf, openSharedWorld } from '../testing/world.ts'

const world = await openSharedWorld()
await world.signUp('ada')
const ADA = ['--profile', 'ada']

/** Changes the sealed text of the first item of a list. */
const flipSealed = (list: string, member: string) =>
  changeBody((body) => {
    const [first] = body[list] as Record<string, unknown>[]
    assert.ok(first)
    first[member] = flipInBase64(first[member], 80)
  })

/** The clock of the machine is so many hours off, for a call. */
async function offBy(hours: number): Promise<{ readonly env: { readonly NODE_OPTIONS: string } }> {
  const path = join(world.root, `off-by-${hours}.mjs`)
  const code = `const [Real, ms] = [Date, ${hours} * 3_600_000]
    globalThis.Date = class extends Real {
      constructor(...given) { given.length > 0 ? super(...given) : super(Real.now() + ms) }
      static now() { return Real.now() + ms }
    }`
  await writeFile(path, code)
  return { env: { NODE_OPTIONS: `--import=${path}` } }
}

describe('a clock that is wrong', () => {
  it('changes neither how long a link takes files nor what is called over', async () => {
    for (const hours of [2, -2 * 365 * 24]) {
      const call = await offBy(hours)
      const [made] = await world.facts(['link', 'create', '--expires', '1h', ...ADA], call)
      const lifeMs = Date.parse(made.expires_at) - Date.now()
      assert.ok(lifeMs > 3_540_000 && lifeMs <= 3_660_000, made.expires_at)
      const edited = await world.facts(['link', 'edit', made.link_id, '--expires', '2h', ...ADA], call)
      assert.ok(Math.abs(Date.parse(edited[0].expires_at) - Date.now() - 7_200_000) < 60_000)
      await world.folder('clock', { 'a.txt': randomBytes(10) })
      const dropping = await world.run(['drop', made.url, 'clock', '--again'], call)
      assert.match(
        dropping.stdout,
        /^The link takes .*for (119|120) min\.$|^The link takes .*for 2 h( 1 min)?\.$/m,
        dropping.stderr,
      )
      await world.facts(['link', 'revoke', made.link_id, '--yes', ...ADA])
    }
    const past = await world.run(
      ['link', 'create', '--expires', '2020-01-01T00:00:00Z', ...ADA],
      await offBy(-24 * 365 * 10),
    )
    assert.deepEqual([past.status, past.stdout], [2, ''])
    assert.match(past.stderr, /has passed, by the clock of the server/)
  })
})

describe('a link at the command line', () => {
  it('takes exactly the largest file of --max-size, with its passphrase, and is listed, shown and revoked', async () => {
    const secret = join(world.root, 'passphrase')
    await writeFile(secret, 'open sesame\n')
    const limits = ['--expires', '7d', '--files', '20', '--max-size', '5KiB', '--max-total', '1MiB']
    const args = [
      'link',
      'create',
      ...limits,
      '--passphrase-file',
      secret,
      '--label',
      'Tür \u202Ecod',
      '--title',
      'Scans',
      '--message',
      'No \x1b[31mphotos',
      '--from',
      'Ada \u202Exe',
      ...ADA,
    ]
    const created = await world.run(args)
    assert.equal(created.status, 0, created.stderr)
    const address = created.stdout.trim()
    assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/u\/[0-9a-f]{32}#\S+$/)
    assert.match(created.stderr, /up to 20 files, each of up to 5\.1 kB, 1 MB in all, until \d{4}-/)
    await world.folder('files', { 'fits.bin': randomBytes(5 * 1024), 'large.bin': randomBytes(5 * 1024 + 1) })
    const dropping = await world.run(['drop', address, 'files', '--json'], {
      env: { BLINDKEEP_PASSPHRASE: 'open sesame' },
    })
    const said = factsOf(dropping).find(({ event }) => event === 'link')
    assert.deepEqual([said?.title, said?.message, said?.from], ['Scans', 'No [31mphotos', 'Ada xe'])
    const landed = factsOf(dropping).filter(({ event }) => event === 'landed' || event === 'failed')
    assert.deepEqual(
      landed.map(({ event, path }) => [event, path]),
      [
        ['failed', 'files/large.bin'],
        ['landed', 'files/fits.bin'],
      ],
    )

    const list = await world.run(['link', 'list', ...ADA])
    assert.match(list.stdout, /1 of 20 .* 1 {8}.*Tür \uFFFDcod/)
    const [link] = await world.facts(['link', 'show', 'Tür \u202Ecod', ...ADA])
    const { url, state, label, max_files, max_file_size, landed_files, pending } = link
    assert.deepEqual(
      [url, state, label, max_files, max_file_size, landed_files, pending],
      [address, 'live', 'Tür \u202Ecod', 20, 5 * 1024, 1, 1],
    )

    const begin = link.link_id.slice(0, 8)
    assert.match(list.stdout, /live, passphrase/)
    const below = await world.run(['link', 'edit', begin, '--max-total', '1KB', ...ADA])
    assert.notEqual(below.status, 0)
    assert.match(below.stderr, /has used more than that/)
    const edit = ['link', 'edit', begin, '--files', '1', '--expires', 'never', '--max-size', 'unlimited', ...ADA]
    const [edited] = await world.facts(edit)
    assert.deepEqual(
      [edited.full, edited.expires_at, edited.max_file_size, edited.max_files],
      [true, undefined, undefined, 1],
    )
    assert.match(
      (await world.run(['link', 'show', begin, ...ADA])).stdout,
      /State: {4}is full\nGuests need the passphrase/,
    )
    assert.match((await world.run(['link', 'edit', begin, ...ADA])).stderr, /say what to change/)
    const [retitled] = await world.facts(['link', 'edit', begin, '--title', 'Deeds', ...ADA])
    const { title, message, from } = retitled
    assert.deepEqual([title, message, from, retitled.max_files], ['Deeds', 'No [31mphotos', 'Ada xe', 1])
    const [mute] = await world.facts(['link', 'edit', begin, '--message', '', ...ADA])
    assert.deepEqual([mute.title, mute.message], ['Deeds', undefined])
    const [renamed] = await world.facts(['link', 'edit', begin, '--label', 'Door', ...ADA])
    assert.deepEqual([renamed.label, renamed.title], ['Door', 'Deeds'])
    const [nameless] = await world.facts(['link', 'edit', begin, '--label', '', ...ADA])
    assert.equal(nameless.label, undefined)
    await world.facts(['link', 'edit', begin, '--label', label, ...ADA])
    const like = ['link', 'create', '--like', begin, ...ADA]
    assert.match((await world.run(like)).stderr, /need a passphrase, which is stored nowhere/)
    const [copy] = await world.facts([...like, '--passphrase-file', secret, '--files', '3'])
    const copied = [copy.label, copy.title, copy.from, copy.max_files, copy.max_total_bytes]
    assert.deepEqual(copied, [label, 'Deeds', 'Ada xe', 3, edited.max_total_bytes])
    assert.notEqual(copy.url, address)
    await world.facts(['link', 'revoke', copy.link_id, '--yes', ...ADA])

    const unasked = await world.run(['link', 'revoke', begin, ...ADA])
    assert.equal(unasked.status, 2)
    assert.match(unasked.stderr, /No file is on its way\. 1 file in the inbox stays\..*--yes/)
    const [revoked] = await world.facts(['link', 'revoke', begin, '--yes', ...ADA])
    assert.deepEqual(revoked, { event: 'revoked', link_id: link.link_id, ended_uploads: 0, pending: 1 })
    assert.match((await world.run(['link', 'list', ...ADA])).stdout, /No link takes files/)
    const gone = await world.run(['link', 'show', begin, ...ADA])
    assert.ok(gone.stdout.startsWith('Label:'), gone.stdout)
    assert.match((await world.run(['link', 'edit', begin, '--files', '9', ...ADA])).stderr, /revoked, and stays so/)
    const [ended] = await world.facts(['link', 'list', '--all', ...ADA])
    assert.deepEqual([ended.state, ended.pending], ['revoked', 1])
  })

  it('says what it refused and what helps, until that is dismissed', async () => {
    const [made] = await world.facts(['link', 'create', '--label', 'Over', ...ADA])
    await world.facts(['link', 'revoke', made.link_id, '--yes', ...ADA])
    await world.folder('refused', { 'a.txt': randomBytes(10) })
    assert.notEqual((await world.run(['drop', made.url, 'refused'])).status, 0)
    const listed = async () => {
      const facts = await world.facts(['link', 'list', '--all', ...ADA])
      return facts.find(({ link_id }) => link_id === made.link_id)
    }
    await until(async () => (await listed())?.refused !== undefined, 'the refusal is counted')
    assert.equal((await listed())?.refused.reasons[0].why, 'revoked')
    const { stderr } = await world.run(['link', 'list', ...ADA])
    assert.match(stderr, /\(Over\) refused guests \w+.*: the link is revoked; .*blindkeep link create --like/)
    const [dismissed] = await world.facts(['link', 'edit', made.link_id, '--dismiss', ...ADA])
    assert.deepEqual([dismissed.event, dismissed.state, dismissed.refused], ['dismissed', 'revoked', undefined])
    assert.equal((await listed())?.refused, undefined)
  })

  it('prints its address also with --quiet, and is for one file with --once', async () => {
    const { stdout, stderr } = await world.run([
      'link',
      'create',
      '--once',
      '--max-total',
      'unlimited',
      '--quiet',
      ...ADA,
    ])
    assert.match(stdout, /^http\S+\n$/)
    assert.equal(stderr, '')
    const [link] = await world.facts(['link', 'list', ...ADA])
    assert.deepEqual([link.single_use, link.max_total_bytes], [true, undefined])
  })

  it('is refused with what to do for contradicting limits, and for a passphrase that is nowhere', async () => {
    const calls = [
      { args: ['--once', '--files', '2'], says: /leave --files out/ },
      { args: ['--max-size', '2GB', '--max-total', '1GB'], says: /larger than --max-total/ },
      { args: ['--passphrase'], says: /--passphrase-file or BLINDKEEP_PASSPHRASE/ },
    ]
    for (const { args, says } of calls) {
      const { status, stderr } = await world.run(['link', 'create', ...args, ...ADA])
      assert.equal(status, 2)
      assert.match(stderr, says)
    }
  })

  it('is listed with exit 3 if the server changed its label', async () => {
    await world.signUp('labels')
    const args = ['--profile', 'labels']
    await world.facts(['link', 'create', '--label', 'Mine', ...args])
    world.proxy.tamper({
      matches: isRequest('GET', /^\/v1\/drops\/links(\?|$)/),
      answer: flipSealed('links', 'sealed_label'),
    })
    const { status, stdout, stderr } = await world.run(['link', 'list', ...args])
    world.proxy.tamper()
    assert.equal(status, 3, stdout)
    assert.match(stderr, /label of the link .* was not written with this account/)
  })
})

describe('a link whose words do not open', () => {
  it('loses none of them by a change or a copy, and gets others only if all are named', async () => {
    const owner = await world.signUp('words')
    const args = ['--profile', 'words']
    await world.facts(['link', 'create', '--label', 'Mine', '--title', 'A', '--question', 'Day:date', ...args])
    world.proxy.tamper({
      matches: isRequest('GET', /^\/v1\/drops\/links(\?|$)/),
      answer: flipSealed('links', 'sealed_title'),
    })
    const edited = await world.run(['link', 'edit', 'Mine', '--title', 'B', ...args])
    const copied = await world.run(['link', 'create', '--like', 'Mine', ...args])
    const limited = await world.run(['link', 'edit', 'Mine', '--files', '3', ...args])
    world.proxy.tamper()
    for (const { status, stderr } of [edited, copied]) {
      assert.equal(status, 1)
      assert.match(stderr, /\(Mine\) says to guests does not open.* Name all of it/)
    }
    assert.equal(limited.status, 0, limited.stderr)
    const [link, ...others] = await owner.listLinks()
    assert.deepEqual([link?.title, link?.questions?.[0]?.label, link?.caps.maxFileCount], ['A', 'Day', 3])
    assert.deepEqual(others, [])
  })
})

describe('an album at the command line', () => {
  it('is created, renamed and listed, and with exit 3 if the server changed its name', async () => {
    const [created] = await world.facts(['album', 'create', 'Reports', ...ADA])
    const renamed = await world.run(['album', 'rename', 'Reports', 'Reports 2026', ...ADA])
    assert.match(renamed.stdout, /is now Reports 2026/)
    const [listed] = await world.facts(['album', 'list', ...ADA])
    assert.deepEqual([listed.album_id, listed.name], [created.album_id, 'Reports 2026'])
    world.proxy.tamper({
      matches: isRequest('GET', /^\/v1\/albums(\?|$)/),
      answer: flipSealed('albums', 'sealed_name'),
    })
    const { status, stderr } = await world.run(['album', 'list', ...ADA])
    world.proxy.tamper()
    assert.equal(status, 3)
    assert.match(stderr, /name of the album .* was not written with this account/)
  })
})
