/** Shares at the command line, of both sides, and a server that lies to the receiver. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { sourceOfBytes } from '@blindkeep/client/source'
import { changeBody, flipAt, isRequest } from '../../../../testing/maliciousServer.ts'
import { factsOf, openSharedWorld } from '../testing/world.ts'

const world = await openSharedWorld()
const owner = await world.signUp('ada')
const ADA = ['--profile', 'ada']
const { albumId: album } = await owner.createAlbum({ name: 'Album' })
const device = await owner.addDevice(undefined, { tie: false })

async function keep(name: string, content: Uint8Array, modifiedAt?: string): Promise<string> {
  const { assetId } = await owner.upload({ source: sourceOfBytes(content), album, device, name, modifiedAt })
  return assetId
}

const CONTENTS = [randomBytes(300_000), randomBytes(10), new Uint8Array()] as const
const first = await keep('a.txt', CONTENTS[0], '2026-01-02T03:04:05.000Z')
const second = await keep('a.txt', CONTENTS[1])
const third = await keep('../in/\u202Edaer.txt', CONTENTS[2])
const [created] = await world.facts(['share', 'create', first, second.slice(0, 9), third, first, ...ADA])

const blobAnswer = isRequest('GET', /^\/s\/[^/]+\/blob\//)

describe('a share at the command line', () => {
  it('is opened without an account: listed, and saved under safe names and with numbers', async () => {
    assert.deepEqual(created.asset_ids, [first, second, third])
    const list = await world.run(['open', created.url])
    assert.equal(list.status, 0, list.stderr)
    assert.match(list.stdout, /300 kB/)
    assert.ok(list.stdout.includes('../in/\uFFFDdaer.txt') && !list.stdout.includes('\u202E'))
    assert.match(list.stderr, /as the owner of the share says/)

    const rewritten = await world.run(['open', created.url.replace('#', '%23')])
    assert.equal(rewritten.stdout, list.stdout)
    assert.match(rewritten.stderr, /servers have seen it\. They can open these files/)

    const input = Buffer.from(`${created.url}\n`)
    const saved = await world.run(['open', '-', '--to', 'new/folder', '--json'], { input })
    assert.equal(saved.status, 0, saved.stderr)
    const folder = join(world.root, 'new', 'folder')
    assert.deepEqual(
      factsOf(saved).map(({ event, path, saved }) => [event, path ?? saved]),
      [
        ['saved', join(folder, 'a.txt')],
        ['saved', join(folder, 'a (2).txt')],
        ['saved', join(folder, 'in', 'daer.txt')],
        ['done', 3],
      ],
    )
    assert.deepEqual(await readFile(join(folder, 'a.txt')), CONTENTS[0])
    assert.deepEqual(await readFile(join(folder, 'a (2).txt')), CONTENTS[1])
    assert.equal((await stat(join(folder, 'a.txt'))).mtime.toISOString(), '2026-01-02T03:04:05.000Z')

    const none = await world.run(['open', created.url, '--only', 'b.txt'])
    assert.equal(none.status, 1)
    assert.match(none.stderr, /no file b\.txt/)
  })

  it('leaves no file that the server changed, saves the others, and ends with 3', async () => {
    world.proxy.tamper({ matches: blobAnswer, answer: flipAt(200_000), times: 1 })
    const { status, stdout, stderr } = await world.run(['open', created.url, '--to', 'lied'])
    world.proxy.tamper()
    assert.equal(status, 3, stdout)
    assert.match(stderr, /a\.txt: It does not open: .*It was altered/)
    assert.match(stdout, /2 of 3 files are saved/)
    assert.deepEqual((await readdir(join(world.root, 'lied'))).sort(), ['a.txt', 'in'])
    assert.deepEqual(await readFile(join(world.root, 'lied', 'a.txt')), CONTENTS[1])
  })

  it('finds files by name, but never one of several, and expires', async () => {
    await keep('once.txt', randomBytes(10))
    const several = await world.run(['share', 'create', 'a.txt', ...ADA])
    assert.equal(several.status, 1)
    assert.match(several.stderr, /a\.txt means 2 of them/)
    const named = await world.run(['share', 'create', 'once.txt', '--expires', '2h', '--quiet', ...ADA])
    assert.equal(named.status, 0, named.stderr)
    const [file] = await world.facts(['open', named.stdout.trim()])
    assert.deepEqual([file.name, file.size], ['once.txt', 10])
    // A name before the beginning of an id.
    const begin = await keep(first.slice(0, 4), randomBytes(10))
    const [share] = await world.facts(['share', 'create', first.slice(0, 4), ...ADA])
    assert.deepEqual(share.asset_ids, [begin])
    const shares = await world.facts(['share', 'list', ...ADA])
    assert.deepEqual(
      shares.map(({ expires_at }) => typeof expires_at),
      ['undefined', 'string', 'undefined'],
    )
  })

  it('is counted and limited: a call is one visit, and beyond the limit nothing is saved', async () => {
    const [made] = await world.facts(['share', 'create', second, third, '--downloads', '1', ...ADA])
    assert.equal(made.max_downloads, 1)
    assert.equal((await world.run(['open', made.url, '--to', 'counted'])).status, 0)
    const refused = await world.run(['open', made.url, '--to', 'refused'])
    assert.deepEqual([refused.status, /downloads of this share are used up/.test(refused.stderr)], [1, true])
    const listed = await world.facts(['share', 'list', ...ADA])
    const { opened, downloaded, max_downloads, last_at } = listed.find(({ share_id }) => share_id === made.share_id)
    assert.deepEqual([opened, downloaded, max_downloads, typeof last_at], [1, 1, 1, 'string'])
    const raised = await world.run(['share', 'limit', made.share_id.slice(0, 8), '2', ...ADA])
    assert.match(raised.stdout, /has 2 downloads, those before included/)
    assert.equal((await world.run(['open', made.url, '--to', 'raised'])).status, 0)
    assert.match((await world.run(['share', 'show', made.share_id, ...ADA])).stdout, /Opened: +2, downloaded 2 of 2/)
    const none = await world.run(['share', 'limit', made.share_id, 'unlimited', ...ADA])
    assert.match(none.stdout, /any number of downloads/)
    assert.equal((await world.run(['share', 'limit', made.share_id, '251', ...ADA])).status, 2)
    await world.facts(['share', 'revoke', made.share_id, '--yes', ...ADA])
  })

  it('has a name, and is shown again with its address and what is in it', async () => {
    const make = ['share', 'create', second, third, '--name', 'For the notary', ...ADA]
    const [made] = await world.facts(make)
    assert.equal(made.name, 'For the notary')
    const list = await world.run(['share', 'list', ...ADA])
    assert.match(list.stdout, /For the notary +a\.txt, \.\.\/in\/daer\.txt/)
    const again = await world.run(['share', 'show', 'For the notary', '--quiet', '--no-qr', ...ADA])
    assert.equal(again.status, 0, again.stderr)
    assert.equal(again.stdout.split('\n')[0], made.url)
    assert.match(again.stdout, /Files: +2 files, 10 B/)
    const [fact] = await world.facts(['share', 'show', made.share_id.slice(0, 8), ...ADA])
    assert.deepEqual([fact.url, fact.name, fact.files, fact.bytes], [made.url, 'For the notary', 2, 10])
    assert.equal((await world.facts(['open', again.stdout.split('\n')[0] ?? ''])).length, 2)

    await world.facts(['share', 'rename', 'For the notary', 'For\u202E the lawyer', ...ADA])
    const renamed = await world.run(['share', 'list', ...ADA])
    assert.ok(renamed.stdout.includes('the lawyer') && !/\u202E|For the notary/.test(renamed.stdout), renamed.stdout)
    const without = await world.run(['share', 'rename', made.share_id.slice(0, 8), '', ...ADA])
    assert.match(without.stdout, /has no name now/)
    const [nameless] = await world.facts(['share', 'rename', made.share_id.slice(0, 8), ' ', ...ADA])
    assert.equal(nameless.name, undefined)
    await world.facts(['share', 'rename', made.share_id.slice(0, 8), 'For the notary', ...ADA])

    world.proxy.tamper({
      matches: isRequest('GET', /^\/v1\/shares(\?|$)/),
      answer: changeBody((body) => {
        assert.ok(Array.isArray(body.shares))
        const [first, last] = [body.shares[0], body.shares.at(-1)]
        first.sealed_name = last.sealed_name
        last.sealed_record = first.sealed_record
      }),
    })
    const lied = await world.run(['share', 'list', ...ADA])
    world.proxy.tamper()
    assert.equal(lied.status, 3, lied.stdout)
    assert.match(lied.stderr, /The name of the share \w{8} was not written for it/)
    assert.match(
      lied.stderr,
      new RegExp(`The address of the share ${made.share_id.slice(0, 8)} was not written for it`),
    )
    await world.facts(['share', 'revoke', 'For the notary', '--yes', ...ADA])
  })

  it('is found by the file or the album that it shows, and named before these are deleted or moved', async () => {
    const { albumId } = await owner.createAlbum({ name: 'Shown' })
    const upload = async (name: string) =>
      (await owner.upload({ source: sourceOfBytes(randomBytes(10)), album: albumId, device, name })).assetId
    const [shown, hidden] = [await upload('shown.txt'), await upload('hidden.txt')]
    await world.facts(['share', 'create', 'shown.txt', '--name', 'For Grandma', ...ADA])
    const named = async (...flags: readonly string[]) =>
      (await world.facts(['share', 'list', ...flags, ...ADA])).map(({ name }) => name)
    assert.deepEqual(
      [await named('--file', 'shown.txt'), await named('--album', 'Shown')],
      [['For Grandma'], ['For Grandma']],
    )
    const none = await world.run(['share', 'list', '--file', hidden, ...ADA])
    assert.equal(`${none.stdout}${none.stderr}`.includes('No open share shows it'), true, none.stdout)
    const losing = /1 share shows it, and will not any more: For Grandma\./
    assert.match((await world.run(['rm', shown, ...ADA])).stderr, losing)
    assert.match(
      (await world.run(['album', 'delete', 'Shown', '--with-files', ...ADA])).stderr,
      /1 share shows some of them, and will not any more: For Grandma\./,
    )
    assert.doesNotMatch((await world.run(['rm', hidden, ...ADA])).stderr, /share/)
    assert.match((await world.run(['mv', shown, '--album', 'Album', ...ADA])).stderr, losing)
    assert.deepEqual(
      await named('--album', 'Album', '--file', hidden).then((names) => names.includes('For Grandma')),
      false,
    )
  })

  it('follows an album: each command that changes it changes the share, or else `share refresh`', async () => {
    const { albumId } = await owner.createAlbum({ name: 'Wedding' })
    await owner.upload({ source: sourceOfBytes(randomBytes(10)), album: albumId, device, name: 'one.jpg' })
    for (const wrong of [['--follow', 'one.jpg'], [], ['one.jpg', '--album', 'Wedding']])
      assert.equal((await world.run(['share', 'create', ...wrong, ...ADA])).status, 2)
    const [made] = await world.facts(['share', 'create', '--album', 'Wedding', '--follow', '--name', 'Guests', ...ADA])
    assert.equal(made.follows_album_id, albumId)
    const names = async () => (await world.facts(['open', made.url])).map(({ name }) => name).toSorted()
    const folder = await world.folder('wedding', { 'two.jpg': randomBytes(10), 'three.jpg': randomBytes(10) })
    const uploaded = await world.run([
      'upload',
      '--album',
      'Wedding',
      join(folder, 'two.jpg'),
      join(folder, 'three.jpg'),
      ...ADA,
    ])
    assert.match(uploaded.stderr, /The share \w{8} \(Guests\) follows its album, and shows 3 files now\./)
    assert.deepEqual(await names(), ['one.jpg', 'three.jpg', 'two.jpg'])
    await world.facts(['rename', 'two.jpg', 'zwei.jpg', ...ADA])
    await world.facts(['mv', 'three.jpg', '--album', 'Album', ...ADA])
    assert.deepEqual(await names(), ['one.jpg', 'zwei.jpg'])
    await world.facts(['rm', 'one.jpg', '--yes', ...ADA])
    await world.facts(['bin', 'restore', 'one.jpg', ...ADA])
    assert.deepEqual(await names(), ['one.jpg', 'zwei.jpg'])
    await owner.upload({ source: sourceOfBytes(randomBytes(10)), album: albumId, device, name: 'late.jpg' })
    assert.deepEqual(await names(), ['one.jpg', 'zwei.jpg'])
    const [refreshed] = await world.facts(['share', 'refresh', ...ADA])
    const { event, share_id, files, added, removed, left } = refreshed
    assert.deepEqual([event, share_id, files, added, removed, left], ['refreshed', made.share_id, 3, 1, 0, 0])
    assert.match((await world.run(['share', 'refresh', ...ADA])).stderr, /1 share shows what its album has\./)
    await world.facts(['album', 'delete', 'Wedding', '--with-files', '--yes', ...ADA])
    const empty = await world.run(['open', made.url])
    assert.deepEqual([empty.status, /has no file now/.test(`${empty.stdout}${empty.stderr}`)], [0, true])
    await world.facts(['share', 'revoke', made.share_id, '--yes', ...ADA])
  })

  it('with a passphrase opens with both until it is revoked, and asks for the passphrase where none is given', async () => {
    const secret = join(world.root, 'passphrase')
    await writeFile(secret, 'k7wm-p3xd-9qht-2vnc\n')
    const [made] = await world.facts(['share', 'create', first, '--passphrase-file', secret, ...ADA])
    assert.equal(made.passphrase_required, true)
    const facts = await world.facts(['share', 'list', ...ADA])
    assert.equal(facts.find(({ share_id }) => share_id === made.share_id)?.passphrase_required, true)
    assert.match((await world.run(['share', 'list', ...ADA])).stdout, /never, passphrase/)
    assert.match(
      (await world.run(['share', 'show', made.share_id, '--no-qr', ...ADA])).stdout,
      /^Needs: +the passphrase/m,
    )
    const unasked = await world.run(['open', made.url])
    assert.equal(unasked.status, 2)
    assert.match(unasked.stderr, /Passphrase of the share: give it with --passphrase-file or BLINDKEEP_PASSPHRASE/)
    const wrong = await world.run(['open', made.url], { env: { BLINDKEEP_PASSPHRASE: 'k7wm' } })
    assert.equal(wrong.status, 1)
    assert.match(wrong.stderr, /This passphrase does not open the share/)
    const right = ['open', made.url, '--to', 'with-passphrase']
    const saved = await world.run(right, { env: { BLINDKEEP_PASSPHRASE: 'K7WM P3XD 9QHT 2VNC' } })
    assert.equal(saved.status, 0, saved.stderr)
    assert.deepEqual(await readFile(join(world.root, 'with-passphrase', 'a.txt')), CONTENTS[0])
    assert.equal((await world.run(['share', 'revoke', made.share_id, ...ADA])).status, 2)
    await world.facts(['share', 'revoke', made.share_id.slice(0, 8), '--yes', ...ADA])
    const gone = await world.run(['open', made.url])
    assert.equal(gone.status, 1)
    assert.match(gone.stderr, /There is no such share/)
  })

  it('with a file of a revoked device is created with consent only', async () => {
    const other = await owner.addDevice(undefined, { tie: false })
    const source = sourceOfBytes(randomBytes(10))
    const { assetId } = await owner.upload({ source, album, device: other, name: 'revoked.txt' })
    await owner.revokeDevice(other.deviceId)
    const refused = await world.run(['share', 'create', assetId, ...ADA])
    assert.equal(refused.status, 2)
    assert.match(refused.stderr, /signed by a device that was revoked.*--yes/)
    await world.facts(['share', 'create', assetId, '--yes', ...ADA])
  })
})
