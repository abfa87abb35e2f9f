/** `blindkeep inbox list` and `save` as processes, against a real server behind a proxy that cuts and lies. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { isRequest } from '../../../../testing/maliciousServer.ts'
import { sendFile } from '../../../../testing/people.ts'
import type { Exchanged, Tampering } from '../../../../testing/tamperingProxy.ts'
import { isContentOf, type Office, openOffice } from '../testing/office.ts'
import { factsOf, openSharedWorld } from '../testing/world.ts'

const world = await openSharedWorld()
const { root, run, facts } = world

const inFolder = async (folder: string) =>
  (await readdir(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(root, folder).length + 1))
    .sort()
const contentOf = (...path: readonly string[]) => readFile(join(root, ...path))
const saving = ({ profile }: Office, folder: string, ...more: readonly string[]) => [
  ...['inbox', 'save', '--profile', profile, '--to', folder],
  ...(more.includes('--link') || more.includes('--batch') || more.some((id) => id.length === 36) ? [] : ['--all']),
  ...more,
]
// A world's folder gets the name of its test's office.
const offices = { next: 0 }
async function office(): Promise<Office & { readonly folder: string }> {
  offices.next += 1
  return { ...(await openOffice(world, `office${offices.next}`)), folder: `folder${offices.next}` }
}

describe('blindkeep inbox save', () => {
  it('writes true names, folders and times, shows what guests say as claims, and saves nothing twice', async () => {
    const here = await office()
    const { profile, folder } = here
    const modifiedAt = '2020-02-03T04:05:06.000Z'
    const [invoice, holiday] = [randomBytes(300 * 1024), randomBytes(10)]
    await here.drop(invoice, { name: 'invoice.pdf', modifiedAt, sender: 'Ada', note: 'for\u202E order 7\nthanks' })
    await here.drop(holiday, { name: 'photos/summer/a.jpg' })
    const other = await here.owner.createLink({ label: 'Other' })
    const elsewhere = await here.drop(new Uint8Array(), { name: 'invoice.pdf' }, other.url)

    const listed = await facts(['inbox', 'list', '--profile', profile, '--link', 'Other'])
    assert.deepEqual(
      listed.map(({ drop_id, name, link_label, size, fault }) => [drop_id, name, link_label, size, fault]),
      [[elsewhere, 'invoice.pdf', 'Other', 0, undefined]],
    )
    const list = await run(['inbox', 'list', '--profile', profile])
    assert.match(
      list.stdout,
      / LINK +NAME +GUEST SAYS\n[\s\S]* Front desk +invoice\.pdf +from "Ada", note: "for\uFFFD order 7 thanks"$/m,
    )

    const saved = await run(saving(here, folder, '--notes'))
    assert.equal(saved.status, 0, saved.stderr)
    assert.match(
      saved.stdout,
      /invoice\.pdf \(307\.2 kB, from "Ada", note: "for\uFFFD order 7 thanks" \(as the guest says\)\) is saved as/,
    )
    assert.match(saved.stdout, /^3 files are saved\.$/m)
    const names = await inFolder(folder)
    // Two drops of one name are saved at once: either may get the number.
    const [note = '', ...notes] = names.filter((name) => name.endsWith('.blindkeep-note.txt'))
    const files = names.filter((name) => name !== note)
    assert.deepEqual([files, notes], [['invoice (2).pdf', 'invoice.pdf', 'photos/summer/a.jpg'], []])
    const noted = note.replace('.blindkeep-note.txt', '')
    assert.deepEqual(await contentOf(folder, noted), invoice)
    assert.equal((await stat(join(root, folder, noted))).mtime.toISOString(), modifiedAt)
    assert.match((await contentOf(folder, note)).toString(), /From: Ada\n\nfor\uFFFD order 7\nthanks\n$/)

    const again = await facts(saving(here, folder))
    assert.deepEqual(
      again.map(({ event }) => event),
      ['saved_before', 'saved_before', 'saved_before', 'done'],
    )
    assert.deepEqual(await inFolder(folder), names)
    await facts(saving(here, folder, elsewhere, '--again'))
    assert.deepEqual(await inFolder(folder), [...names, 'invoice (3).pdf'].sort())
    assert.equal((await here.pending()).length, 3)
  })

  it('lists what was sent in one go together, with its note once, and saves, adopts and discards it', async () => {
    const here = await office()
    const { profile, folder } = here
    const words = { sender: 'Ada', note: 'all of Sunday' }
    const send = (index: number, id: string, sender = 'Ada') =>
      here.drop(randomBytes(10), { ...words, sender, name: `day/${index}.jpg`, batch: { id, index, count: 3 } })
    const [one, two, other] = ['ab'.repeat(16), 'cd'.repeat(16), 'ef'.repeat(16)]
    const [second, alone, first] = [
      await send(1, one),
      await here.drop(new Uint8Array(), { name: 'x' }),
      await send(0, one),
    ]
    const list = await run(['inbox', 'list', '--profile', profile])
    assert.match(
      list.stdout,
      / BATCH +LINK .*\n.* abababab \(2 files, of 3 chosen\) .*0\.jpg +from "Ada", note: "all of Sunday"\n.* " +Front desk +day\/1\.jpg *\n/,
    )
    const listed = await facts(['inbox', 'list', '--profile', profile])
    assert.deepEqual(
      listed.map((drop) => [drop.drop_id, drop.batch_id, drop.claimed_batch_index, drop.claimed_batch_count]),
      [
        [first, one, 0, 3],
        [second, one, 1, 3],
        [alone, undefined, undefined, undefined],
      ],
    )
    const saved = await facts(saving(here, folder, '--batch', 'abab', '--discard'))
    assert.equal(saved.at(-1).discarded, 2)
    assert.deepEqual(await inFolder(folder), ['day/0.jpg', 'day/1.jpg'])

    await here.owner.createAlbum({ name: 'Kept' })
    await send(0, two)
    await facts(['inbox', 'adopt', '--batch', two, '--album', 'Kept', '--profile', profile])
    for (const sender of ['Ada', 'Eve']) await send(0, other, sender)
    const several = await run(['inbox', 'discard', '--batch', other, '--yes', '--profile', profile])
    assert.match(several.stderr, /is the batch of 2 guests/)
    assert.equal((await here.pending()).length, 3)
    const [eve] = (await here.owner.inbox()).filter(({ file }) => file?.sender === 'Eve')
    await here.owner.discardDrop(eve?.dropId ?? '')
    const late = await send(1, other)
    const discarded = await run(['inbox', 'discard', '--batch', other, '--yes', '--profile', profile])
    assert.match(discarded.stderr, /no command has shown or saved them before: 1/)
    assert.deepEqual(await here.pending(), [alone, late])
    await facts(['inbox', 'discard', '--batch', other, '--yes', '--profile', profile])
    assert.deepEqual(await here.pending(), [alone])
  })

  it('has the answers to what a link asks, from a guest at a command line to folders and albums', async () => {
    const { profile, folder, owner } = await office()
    const asking = ['--question', 'Matter number:text!', '--question', 'Topic:choice=Invoice|Other']
    const [{ url, link_id }] = await facts([
      ...['link', 'create', '--profile', profile, ...asking],
      ...['--file-kinds', 'pdf', '--title', 'Scans'],
    ])
    await facts(['link', 'edit', link_id, '--title', 'Papers', '--profile', profile])
    await world.folder(`${folder}-sent`, { 'a.pdf': Buffer.from('%PDF-1.7'), 'b.pdf': randomBytes(9) })
    const paths = ['a.pdf', 'b.pdf'].map((name) => `${folder}-sent/${name}`)
    const missing = await run(['drop', url, ...paths, '--field', 'Topic=Bill'])
    assert.equal(missing.status, 2)
    assert.match(
      missing.stderr,
      /Matter number \(required\): It must be answered\. Topic \(Invoice or Other\): It is none of the choices\./,
    )
    const wrong = await run(['drop', url, ...paths.slice(1)])
    assert.deepEqual([wrong.status, wrong.stderr.includes('Matter number')], [1, false], wrong.stderr)
    const unasked = await run(['drop', url, ...paths, '--field', 'Colour=red'])
    assert.deepEqual([unasked.status, (await owner.inbox()).length], [2, 0])
    const dropped = await run([
      'drop',
      url,
      ...paths,
      '--field',
      'Matter number=../17',
      '--field',
      'Topic=Invoice',
      '--json',
    ])
    const said = dropped.stdout.split('\n').filter((line) => /"(?:landed|failed)"/.test(line))
    assert.match(said.join('\n'), /b\.pdf","reason":"wrong_content".*\n.*"landed".*a\.pdf/)
    const corrected = await run(['drop', url, `${folder}-sent/a.pdf`, '--field', 'Topic=Other'])
    assert.match(
      corrected.stderr,
      /1 file had landed before, with the answers of then\. --again sends again, with the answers of now/,
    )
    await sendFile(url, randomBytes(5), { name: 'c.txt', sender: 'Bo', fields: [['Topic', 'Bill']] })

    const listed = await facts(['inbox', 'list', '--sort', 'Topic', '--profile', profile])
    assert.deepEqual(
      listed.map(({ name, claimed_fields, marks }) => [name, claimed_fields.at(-1).value, marks]),
      [
        [
          'c.txt',
          'Bill',
          [
            { mark: 'missing', label: 'Matter number' },
            { mark: 'faulty', label: 'Topic', fault: 'not_a_choice' },
            { mark: 'wrong_kind', file_kinds: ['pdf'] },
          ],
        ],
        ['a.pdf', 'Invoice', []],
      ],
    )
    const mistyped = await run(['inbox', 'list', '--where', 'Topc=Bill', '--profile', profile])
    assert.deepEqual([mistyped.status, mistyped.stdout], [2, ''])
    assert.match(mistyped.stderr, /--where Topc=Bill: no link asks this\. There are: Topic, Matter number\.\n/)
    const none = await run(['inbox', 'list', '--where', 'Topic=None', '--sort', 'Topic', '--profile', profile])
    assert.deepEqual([none.status, none.stdout], [0, 'Nothing matches.\n'], none.stderr)
    const found = await run(['inbox', 'list', '--where', 'Topic=Bill', '--profile', profile])
    assert.match(
      found.stdout,
      /LOOK AT\n.* Topic: "Bill" +Matter number missing, Topic none of the choices, not a pdf\n$/,
    )
    const saved = ['inbox', 'save', '--all', '--to', folder, '--profile', profile]
    assert.match((await run([...saved, '--into', '{Matter}'])).stderr, /no link asks this\. There are: Matter number, /)
    await facts([...saved, '--into', '{Matter number}/{sender}', '--notes'])
    assert.deepEqual(await inFolder(folder), [
      '_/Bo/c.txt',
      '_/Bo/c.txt.blindkeep-note.txt',
      '_17/_/a.pdf',
      '_17/_/a.pdf.blindkeep-note.txt',
    ])
    const { albumId } = await owner.createAlbum({ name: 'Invoice' })
    const adopting = await run([
      'inbox',
      'adopt',
      '--all',
      '--album-by',
      'Topic',
      '--yes',
      '--json',
      '--profile',
      profile,
    ])
    assert.equal(adopting.status, 1)
    assert.match(adopting.stderr, /c\.txt: No album is called “Bill”/)
    const adopted = factsOf(adopting).filter(({ event }) => event === 'adopted')
    assert.deepEqual(
      adopted.map(({ name, album_id }) => [name, album_id]),
      [['a.pdf', albumId]],
    )
    const { content, fields } = await owner.openAsset(adopted[0].asset_id)
    await content.cancel()
    assert.deepEqual(fields?.[0], ['Matter number', '../17'])
  })

  it('keeps hostile names inside the folder', async () => {
    const here = await office()
    const names = ['../../up.txt', '/etc/passwd', 'a\u202Efdp.exe', 'CON', `${'x'.repeat(8000)}.txt`, '.bashrc']
    for (const name of names) await here.drop(randomBytes(5), { name })
    const outcome = await run(saving(here, `in/${here.folder}`))
    assert.equal(outcome.status, 0, outcome.stderr)
    assert.ok(!outcome.stdout.includes('\u202E'))
    const saved = await inFolder('in')
    assert.ok(saved.includes(`${here.folder}/${'x'.repeat(251)}.txt`))
    assert.deepEqual(
      saved.filter((name) => !name.includes('xxx')),
      ['_CON', 'afdp.exe', 'bashrc', 'etc/passwd', 'up.txt'].map((name) => `${here.folder}/${name}`),
    )
  })

  it('discards no drop whose file has other bytes than an earlier call has saved', async () => {
    const here = await office()
    const { folder } = here
    const content = randomBytes(5)
    const dropId = await here.drop(content, { name: 'first' })
    await facts(saving(here, folder))
    // As a disk may that lost power.
    await writeFile(join(root, folder, 'first'), Buffer.alloc(5))
    const outcome = await run(saving(here, folder, '--discard'))
    assert.equal(outcome.status, 1)
    assert.match(outcome.stderr, /first: It was saved as .*first, and is not there any more as it was/)
    assert.deepEqual(await here.pending(), [dropId])
    await writeFile(join(root, folder, 'first'), content)
    assert.equal((await run(saving(here, folder, '--discard'))).status, 0)
    assert.deepEqual(await here.pending(), [])
  })

  it('takes no drop for saved, and discards none, by a record that a power cut has left', async () => {
    const here = await office()
    const dropId = await here.drop(randomBytes(1000), { name: 'a.bin' })
    const profile = join(root, 'home', 'profiles', here.profile)
    const [kept = ''] = await facts(saving(here, here.folder)).then(() =>
      inFolder(join('home', 'profiles', here.profile, 'saved')),
    )
    assert.ok(kept.endsWith(`${dropId}.json`))
    for (const [index, left] of ['', '{"plan":{"part', '\0\0', '{}', '{"plan":{},"path":"/etc/passwd"}'].entries()) {
      await writeFile(join(profile, 'saved', kept), left)
      const again = await run(saving(here, here.folder))
      assert.equal(again.status, 0, again.stderr)
      assert.match(
        again.stderr,
        /of the drop [0-9a-f]{8} is damaged: if it is in the inbox, it counts as not saved before/,
      )
      assert.match(again.stdout, /^1 file is saved\.$/m)
      assert.equal((await inFolder(here.folder)).length, index + 2)
    }
    await writeFile(join(profile, 'inbox.json'), '{"accountId":"')
    const stopped = await run(saving(here, here.folder, '--discard'))
    assert.equal(stopped.status, 1)
    assert.match(stopped.stderr, /inbox\.json is damaged: it says which drops were shown here before.*remove it/)
    assert.deepEqual(await here.pending(), [dropId])
  })

  it('discards only what is on the disk, and not a drop whose file is not there any more', async () => {
    const here = await office()
    const { folder } = here
    const [first] = [await here.drop(randomBytes(5), { name: 'first' })]
    await facts(saving(here, folder))
    await rm(join(root, folder, 'first'))
    await here.drop(randomBytes(5), { name: 'second' })
    const outcome = await run(saving(here, folder, '--discard'))
    assert.equal(outcome.status, 1)
    assert.match(outcome.stderr, /first: It was saved as .*first, and is not there any more.*--again/)
    assert.deepEqual(await here.pending(), [first])
    assert.equal((await run(saving(here, folder, '--discard', '--again'))).status, 0)
    assert.deepEqual(await here.pending(), [])
    assert.deepEqual(await inFolder(folder), ['first', 'second'])
    // What is remembered of drops that have left the inbox is forgotten.
    await facts(saving(here, folder))
    const kept = join(root, 'home', 'profiles', here.profile, 'saved')
    assert.deepEqual(
      (await readdir(kept, { recursive: true })).filter((name) => name.endsWith('.json')),
      [],
    )
  })

  it('writes no altered drop, saves the others, and exits with 3', async () => {
    const here = await office()
    const { folder } = here
    const dropId = await here.drop(randomBytes(200_000), { name: 'altered.bin' })
    await here.drop(randomBytes(5), { name: 'fine.bin' })
    world.proxy.tamper({
      matches: isContentOf(dropId),
      answer: ({ headers, body }) => {
        body[body.length - 100] = (body[body.length - 100] ?? 0) ^ 1
        return { headers, body }
      },
    })
    const lied = await run(saving(here, folder, '--discard'))
    world.proxy.tamper()
    assert.equal(lied.status, 3)
    assert.match(lied.stderr, /altered\.bin: It does not open: .*Trust no part of it/)
    assert.deepEqual(await inFolder(folder), ['fine.bin'])
    assert.deepEqual(await here.pending(), [dropId])
    assert.equal((await run(saving(here, folder))).status, 0)
    assert.deepEqual(await inFolder(folder), ['altered.bin', 'fine.bin'])
  })

  it('takes no other drop under an id that was listed before, in whatever process, and exits with 3', async () => {
    const here = await office()
    const [shown, other] = [
      await here.drop(randomBytes(5), { name: 'a' }),
      await here.drop(randomBytes(5), { name: 'b' }),
    ]
    const list = ['inbox', 'list', '--profile', here.profile]
    await facts(list)
    // A server that hides it meanwhile gains nothing.
    world.proxy.tamper({
      matches: isRequest('GET', /^\/v1\/drops\?/),
      answer: ({ headers }) => ({ headers, body: Buffer.from(JSON.stringify({ drops: [] })) }),
    })
    assert.deepEqual(await facts(list), [])
    const Authorization = `Bearer ${here.owner.tokens().accessToken}`
    const asked = await fetch(`${world.server.url}/v1/drops/${other}/content`, { headers: { Authorization } })
    const foreign = Buffer.from(await asked.arrayBuffer())
    world.proxy.tamper(
      {
        matches: isRequest('GET', /^\/v1\/drops\?/),
        answer: ({ headers, body }) => {
          const { drops } = JSON.parse(body.toString())
          const swapped = drops.filter((drop: { drop_id: string }) => drop.drop_id === other)
          return { headers, body: Buffer.from(JSON.stringify({ drops: [{ ...swapped[0], drop_id: shown }] })) }
        },
      },
      {
        matches: ({ method, path }) => method === 'GET' && path.includes(shown),
        answer: ({ headers, body }) => ({ headers, body: foreign.subarray(0, body.length) }),
      },
    )
    const outcomes = [
      await run(saving(here, here.folder, shown)),
      await run(['inbox', 'discard', shown, '--yes', '--profile', here.profile]),
    ]
    world.proxy.tamper()
    for (const { status, stderr } of outcomes) {
      assert.equal(status, 3, stderr)
      assert.match(stderr, /Tampering detected: the server lists another drop/)
    }
    assert.deepEqual(await inFolder(here.folder), [])
    assert.equal((await here.pending()).length, 2)
  })

  it('lists a drop that does not open in a short row with its reason below, and discards it when asked for its link', async () => {
    const here = await office()
    const [broken, late] = [await here.drop(randomBytes(10)), await here.drop(randomBytes(10))]
    const list = ['inbox', 'list', '--profile', here.profile]
    const discard = ['inbox', 'discard', '--link', 'Front desk', '--yes', '--profile', here.profile]
    const altered = (dropId: string, answer: Tampering['answer']) => ({
      matches: ({ path }: Exchanged) => path.endsWith(`/v1/drops/${dropId}/content`),
      ...(answer === undefined ? { instead: 502 } : { answer }),
    })
    const flipped: Tampering['answer'] = ({ headers, body }) => {
      const changed = Buffer.from(body)
      changed.writeUInt8(changed.readUInt8(1500) ^ 1, 1500)
      return { headers, body: changed }
    }
    world.proxy.tamper(altered(broken, flipped), altered(late, undefined))
    const listed = await run(list)
    assert.equal(listed.status, 3, listed.stderr)
    assert.match(listed.stdout, /Front desk +\(does not open\)/)
    assert.match(listed.stdout, /Front desk +\(cannot be read now\)/)
    assert.ok(
      listed.stdout.split('\n').every((line) => line.length < 100),
      listed.stdout,
    )
    assert.match(listed.stderr, new RegExp(`^${broken.slice(0, 8)}: It cannot be opened: .*\\.$`, 'm'))

    // One that could not be read was not shown, and neither was one that opens only now.
    world.proxy.tamper()
    const opens = await run(discard)
    assert.match(opens.stderr, /no command has shown or saved them before: 2/)
    const next = await here.drop(randomBytes(10))
    world.proxy.tamper(altered(next, flipped))
    await run(list)
    const discarded = await run(discard)
    world.proxy.tamper()
    assert.equal(discarded.status, 0, discarded.stderr)
    assert.deepEqual(await here.pending(), [])
  })
})
