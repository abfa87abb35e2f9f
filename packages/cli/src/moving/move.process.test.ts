/** A server moves from one name to another, and what the command line says at each of them. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cp, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { changeBody, isRequest } from '../../../../testing/maliciousServer.ts'
import { startServer } from '../../../../testing/startServer.ts'
import { startTamperingProxy, type TamperingProxy } from '../../../../testing/tamperingProxy.ts'
import { bury, pin, pinsOf } from '../home/pins.ts'
import { noteReceipts, seenReceipts } from '../receipts/seenReceipts.ts'
import { WITH_NAMES } from '../testing/warm.ts'
import { type Call, factsOf, finished, type Outcome, openWorldAt, PASSWORD } from '../testing/world.ts'

interface Place {
  readonly proxy: TamperingProxy
  /** The public address of the server while it is there. */
  readonly url: string
}

async function placeOf(name: string): Promise<Place> {
  const proxy = await startTamperingProxy()
  return { proxy, url: proxy.url.replace('127.0.0.1', name) }
}

const [old, next, last] = [await placeOf('keep.example'), await placeOf('drop.example'), await placeOf('last.example')]
const server = await startServer({ publicUrl: old.url, env: { INSECURE_PUBLIC_URL: 'allowed', REGISTRATION: 'open' } })
const world = await openWorldAt({
  proxy: old.proxy,
  server,
  async stop() {
    await server.stop()
    for (const { proxy } of [old, next, last]) await proxy.close()
  },
})
for (const { proxy } of [old, next, last]) proxy.forwardTo(server.url)

const env = { NODE_OPTIONS: WITH_NAMES, BLINDKEEP_PASSWORD: PASSWORD }
const run = (args: readonly string[], call: Call = {}): Promise<Outcome> =>
  world.run(args, { ...call, env: { ...env, ...call.env } })
async function facts(args: readonly string[], call?: Call) {
  const outcome = await run([...args, '--json'], call)
  assert.equal(outcome.status, 0, outcome.stderr)
  return factsOf(outcome)
}

/** As at a terminal, whose keys are the input of the call. */
const asTerminal = 'data:text/javascript,process.stdin.isTTY = process.stderr.isTTY = true'
const atTerminal = { NODE_OPTIONS: `${env.NODE_OPTIONS} --import=${encodeURI(asTerminal)}` }

/** The operator moves the server. */
async function moveTo({ url }: Place): Promise<void> {
  await server.terminate()
  const moved = await server.command(['move', '--yes', '--unchecked'], { PUBLIC_URL: url })
  assert.equal(moved.status, 0, moved.stderr)
  await server.restart({ PUBLIC_URL: url })
}

/** A server that calls itself so. */
const named = (serverId: string) => ({
  matches: isRequest('GET', /\/server-info$/),
  answer: changeBody((body) => void Object.assign(body, { server_id: serverId })),
})

/** How many requests each place has seen, and those with a token. */
const counts = () =>
  [old, next].map(({ proxy: { seen } }) => ({
    all: seen.length,
    withToken: seen.filter(({ headers }) => headers.authorization !== undefined).length,
  }))

/** A call that stops because the server has moved. */
async function assertStops(args: readonly string[], reason: string, movedTo: string, call?: Call): Promise<Outcome> {
  const outcome = await run([...args, '--json'], call)
  assert.equal(outcome.status, 4, outcome.stderr)
  const failed = factsOf(outcome).find(({ event }) => event === 'failed')
  assert.deepEqual([failed.reason, failed.moved_to], [reason, movedTo])
  return outcome
}

describe('a server that moves to another name', () => {
  let folder: string
  let link: string
  const two = ['--profile', 'two'] as const
  /** A machine that meets the server at two of its names. */
  const twoNames = { BLINDKEEP_HOME: join(world.root, 'two names') }
  let watchers: Awaited<ReturnType<typeof watching>>[] = []
  const known = {
    env: { BLINDKEEP_HOME: join(world.root, 'guest who has sent') },
    to: ['--receipts', join(world.root, 'receipts')],
  }
  before(async () => {
    for (const args of [[], two]) await facts(['register', old.url, '--email', `a${args.length}@example.org`, ...args])
    await facts(['album', 'create', 'Scans'])
    folder = await world.folder('files', { 'a.bin': randomBytes(2000), 'b.bin': randomBytes(3000) })
    await facts(['upload', folder, '--album', 'Scans'])
    const [created] = await facts(['link', 'create', '--expires', '7d'])
    link = created.url
    for (const call of [{}, known]) await facts(['drop', link, join(folder, 'a.bin'), ...known.to], call)
    await facts(['audit'])
    watchers = await Promise.all(['at the old name', 'of one who has followed'].map(watching))
    await bury(join(world.root, 'of one who has followed'), { serverId: old.url, keys: [], movedTo: next.url })
    const more = await world.folder('more', { 'c.bin': randomBytes(10) })
    await facts(['drop', link, join(more, 'c.bin'), ...known.to])
    assert.equal((await watchers[1]?.ended)?.status, 4)
    await moveTo(next)
  })

  /** A watch of the inbox, with a copy of what this machine knows. */
  async function watching(name: string): Promise<{ readonly ended: Promise<Outcome> }> {
    const home = join(world.root, name)
    await cp(join(world.root, 'home'), home, { recursive: true })
    const args = ['inbox', 'watch', '--save', join(world.root, `inbox ${name}`), '--json']
    const child = world.start(args, { env: { ...env, BLINDKEEP_HOME: home } })
    const ended = finished(child)
    await Promise.race([once(child.stdout ?? assert.fail(), 'data'), ended])
    return { ended }
  }

  it('ends a watch of the inbox that was there before, and one of a machine that has followed it', async () => {
    assert.equal((await watchers[0]?.ended)?.status, 4)
  })

  it('stops every command at the old name', async () => {
    for (const args of [['ls'], ['quota'], ['audit'], ['upload', folder, '--album', 'Scans'], ['ls', ...two]])
      await assertStops(args, 'error.server.moved', next.url)
    const { stderr } = await run(['ls'])
    assert.match(stderr, /says that it has moved to .*Nothing was sent on\. If you know of this: blindkeep move http/)
  })

  it('stops a sign-in of a profile that is signed in at the old name, and not one elsewhere', async () => {
    const who = ['--email', 'a0@example.org']
    for (const args of [
      ['login', old.url, ...who],
      ['login', next.url, ...who],
      ['login', ...who],
      ['register', old.url, ...who],
    ])
      await assertStops(args, 'error.server.moved', next.url)
    const elsewhere = await run(['login', 'https://third.example', ...who])
    assert.deepEqual([elsewhere.status, /Sign out first/.test(elsewhere.stderr)], [1, true])
  })

  it('stops a sign-in at the old name, and no proof is made for it', async () => {
    const home = { env: { BLINDKEEP_HOME: join(world.root, 'elsewhere') } }
    const outcome = await assertStops(
      ['login', old.url, '--email', 'a0@example.org'],
      'error.server.moved',
      next.url,
      home,
    )
    assert.match(outcome.stderr, /knows no key of it/)
    assert.ok(old.proxy.seen.filter(({ path }) => path.endsWith('/auth/login')).every(({ status }) => status !== 410))
  })

  it('shows a guest the same link at the new name, and sends nothing without a person', async () => {
    const { stdout } = await assertStops(['drop', link, join(folder, 'b.bin')], 'error.server.moved', next.url)
    assert.match(stdout, new RegExp(`"event":"moved".*"url":"${link.replace(old.url, next.url)}"`))
    assert.equal(next.proxy.seen.length, 0)
  })

  it('gets a guest’s file at the new name only if the guest agrees', async () => {
    const home = { BLINDKEEP_HOME: join(world.root, 'guest') }
    const call = (input: string) => ({ env: { ...home, ...atTerminal }, input: Buffer.from(input) })
    const letter = [link, join(folder, 'b.bin'), '--receipts', join(world.root, 'receipts')]
    const refused = await run(['drop', ...letter], call('n\n'))
    assert.equal(refused.status, 1, refused.stderr)
    assert.match(refused.stderr, /Nothing on this machine can prove that/)
    assert.deepEqual(
      next.proxy.seen.filter(({ method }) => method !== 'GET'),
      [],
    )
    const agreed = await run(['drop', ...letter], call('y\n'))
    assert.equal(agreed.status, 0, agreed.stderr)
    assert.match(agreed.stdout, /b\.bin has landed/)
  })

  it('is compared by the machine of a guest who has sent there before, and left at the old name', async () => {
    const letters = [link, join(folder, 'a.bin'), join(folder, 'b.bin'), ...known.to]
    const agreed = await run(['drop', ...letters], { env: { ...known.env, ...atTerminal }, input: Buffer.from('y\n') })
    assert.equal(agreed.status, 0, agreed.stderr)
    // The terminal has wrapped the question.
    assert.match(
      agreed.stderr.replaceAll('\n', ''),
      /signed by the key of the server that this machine has known since/,
    )
    assert.match(agreed.stdout, /a\.bin had landed before/)
    await assertStops(['drop', ...letters], 'moved', next.url, { env: known.env })
  })

  it('is not followed without a person who agrees, nor where nothing is known of it', async () => {
    assert.equal((await run(['move', next.url])).status, 2)
    const home = { env: { BLINDKEEP_HOME: join(world.root, 'elsewhere') } }
    const outcome = await run(['move', next.url, '--yes', '--json'], home)
    assert.deepEqual([outcome.status, factsOf(outcome)[0].reason], [1, 'move_not_known'])
  })

  it('is not followed to where this machine knows another server, whose receipts stay its own', async () => {
    const [home, own] = [join(world.root, 'contradicted'), join(world.root, 'home')]
    const known = (await pinsOf(own, old.url)) ?? assert.fail()
    await pin(home, known)
    await noteReceipts(home, old.url, await seenReceipts(own, old.url))
    const [key] = known.keys
    const other = { serverId: next.url, keys: [{ ...(key ?? assert.fail()), keyId: '0'.repeat(64) }] }
    const assertRefused = async () => {
      const outcome = await run(['move', next.url, '--yes', '--json'], { env: { BLINDKEEP_HOME: home } })
      assert.deepEqual([outcome.status, factsOf(outcome)[0].reason], [3, 'key_vanished'])
      assert.ok((await seenReceipts(home, old.url)).length > 0)
      assert.deepEqual(await seenReceipts(home, next.url), [])
      assert.equal((await pinsOf(home, old.url))?.movedTo, undefined)
    }
    await pin(home, other)
    await assertRefused()
    const left = { ...other, movedTo: 'https://third.example' }
    await bury(home, left)
    await assertRefused()
    assert.deepEqual(await pinsOf(home, next.url), left)
  })

  it('is followed, with no token to either name', async () => {
    const seen = counts()
    const [followed, signedOut] = await facts(['move', next.url, '--yes'])
    assert.deepEqual(
      [followed.event, followed.from, followed.to, followed.old],
      ['followed', old.url, next.url, 'without_tls'],
    )
    assert.equal(signedOut.event, 'signed_out')
    assert.ok(Date.parse(followed.known_since) > 0)
    assert.deepEqual(
      counts().map(({ withToken }) => withToken),
      seen.map(({ withToken }) => withToken),
    )
    assert.equal(counts()[0]?.all, seen[0]?.all)
  })

  it('gets nothing at the old name any more, from any profile, guest or sign-in', async () => {
    const seen = counts()[0]?.all
    for (const args of [
      ['ls', ...two],
      ['login', old.url, '--email', 'x@example.org'],
      ['login', next.url, '--email', 'x@example.org', ...two],
      ['drop', link, folder],
    ])
      await assertStops(args, 'moved', next.url)
    assert.equal(counts()[0]?.all, seen)
  })

  it('gets nothing at any name that this machine has left, on the way to the last one', async () => {
    const home = join(world.root, 'went on')
    const third = 'http://third.example:9'
    for (const [serverId, movedTo] of [
      [old.url, next.url],
      [next.url, third],
    ] as const)
      await bury(home, { serverId, keys: [], movedTo })
    const seen = counts()
    const call = { env: { BLINDKEEP_HOME: home, ...atTerminal }, input: Buffer.from('y\n') }
    const { stdout, stderr } = await run(['drop', link, join(folder, 'a.bin')], call)
    assert.match(stdout, /at the new address: http:\/\/third\.example:9\/u\//, stderr)
    await assertStops(['drop', link, join(folder, 'a.bin')], 'moved', third, { env: { BLINDKEEP_HOME: home } })
    assert.deepEqual(counts(), seen)
  })

  it('is left by a second profile without a question to either name', async () => {
    const seen = counts()
    assert.deepEqual(
      (await facts(['move', next.url, ...two])).map(({ event }) => event),
      ['signed_out'],
    )
    assert.deepEqual(counts(), seen)
  })

  it('is no failure to follow once more', async () => {
    const seen = counts()
    assert.deepEqual(await facts(['move', next.url, '--yes']), [{ event: 'followed_before', to: next.url }])
    assert.deepEqual(counts(), seen)
  })

  it('is used at the new name: what was sent stays sent, and all that it has signed goes on', async () => {
    await facts(['login', '--email', 'a0@example.org'])
    const uploaded = await facts(['upload', folder, '--album', 'Scans'])
    assert.deepEqual(
      uploaded.map(({ event }) => event),
      ['landed_before', 'landed_before', 'done'],
    )
    const dropped = await facts(['drop', link.replace(old.url, next.url), join(folder, 'a.bin'), join(folder, 'b.bin')])
    assert.deepEqual(dropped.map(({ event }) => event).sort(), ['done', 'landed', 'landed_before', 'link'])
    const receipts = await facts(['receipts', '--check'])
    assert.ok(receipts.length > 0)
    for (const { checked, former_server_id } of receipts) assert.deepEqual([checked, former_server_id], [true, old.url])
    assert.match((await run(['receipts', '--check'])).stderr, /which this machine has known and followed to/)
    const audited = (await facts(['audit'])).at(-1)
    assert.deepEqual([audited.event, audited.contradictions], ['done', 0])
    assert.ok(audited.saved_receipts > 0 && audited.seen_before > 0)
  })

  it('is perhaps one that names itself otherwise, as a loopback address does after a move', async () => {
    next.proxy.tamper(named('https://third.example'))
    const { status, stderr } = await run(['login', next.url, '--email', 'a2@example.org', ...two])
    next.proxy.tamper()
    assert.equal(status, 3, stderr)
    assert.match(
      stderr,
      /says that it is https:\/\/third\.example.*has moved.*: blindkeep move https:\/\/third\.example/,
    )
  })

  it('gets no file at an address that it does not call its own, as a loopback address after a move', async () => {
    const home = { env: { BLINDKEEP_HOME: join(world.root, 'of a third guest') } }
    const more = await world.folder('not sent', { 'd.bin': randomBytes(10) })
    const [created] = await facts(['link', 'create'])
    next.proxy.tamper(named('https://third.example'))
    const before = next.proxy.seen.length
    const dropped = await assertStops(['drop', created.url, more], 'other_address', 'https://third.example', home)
    const [shown] = factsOf(dropped)
    assert.deepEqual([shown.event, shown.url], ['moved', created.url.replace(next.url, 'https://third.example')])
    assert.match(dropped.stderr, /says that it is https:\/\/third\.example\. Nothing was sent\./)
    await assertStops(['upload', more, '--album', 'Scans'], 'other_address', 'https://third.example')
    await assertStops(['link', 'create'], 'other_address', 'https://third.example')
    next.proxy.tamper()
    assert.deepEqual(
      next.proxy.seen.slice(before).filter(({ method, path }) => method !== 'GET' && !path.startsWith('/v1/auth/')),
      [],
    )
  })

  it('is only a claim of the server to a machine that never knew the old name', async () => {
    const home = { env: { BLINDKEEP_HOME: join(world.root, 'third') } }
    await facts(['login', next.url, '--email', 'a0@example.org'], home)
    const assertClaim = async (isChecked: boolean) => {
      const listed = await facts(['receipts', ...(isChecked ? ['--check'] : [])], home)
      for (const { checked, former_server_id, claimed_former_server_id } of listed)
        assert.deepEqual(
          [checked === true, former_server_id, claimed_former_server_id],
          [isChecked, undefined, old.url],
        )
    }
    await assertClaim(true)
    const { keys } = (await pinsOf(home.env.BLINDKEEP_HOME, next.url)) ?? assert.fail()
    // It has followed another server of that name: one with other keys, or to another place.
    await bury(home.env.BLINDKEEP_HOME, { serverId: old.url, keys: keys.slice(1), movedTo: next.url })
    await assertClaim(true)
    await bury(home.env.BLINDKEEP_HOME, { serverId: old.url, keys: keys.slice(0, 1), movedTo: 'https://third.example' })
    await assertClaim(true)
    await assertClaim(false)
    const { stderr } = await run(['receipts', '--check'], home)
    assert.match(
      stderr,
      /signed by a key that http:\/\/drop\.example:\d+ lists as its own; it says that it was http:\/\/keep/,
    )
  })

  it('is shown to others with the statements about its names, if it contradicts what it has signed', async () => {
    next.proxy.tamper({
      matches: isRequest('GET', /\/receipts$/),
      answer: changeBody((body) => {
        assert.ok(Array.isArray(body.receipts))
        body.receipts.pop()
      }),
    })
    const outcome = await run(['audit', '--json'])
    next.proxy.tamper()
    assert.equal(outcome.status, 3)
    const { evidence } = factsOf(outcome).find(({ event }) => event === 'contradiction')
    const [first = ''] = await readdir(evidence)
    const { keys, moves, rotations } = JSON.parse(await readFile(join(evidence, first), 'utf8'))
    assert.deepEqual([keys.length, moves.length, rotations.length], [2, 1, 0])
  })

  it('is followed back, and the name that it leaves gets nothing', async () => {
    await facts(['login', next.url, '--email', 'a0@example.org'], { env: twoNames })
    await moveTo(old)
    await assertStops(['ls'], 'error.server.moved', old.url)
    await facts(['move', old.url, '--yes'])
    await facts(['login', old.url, '--email', 'a0@example.org'])
    assert.equal((await facts(['audit'])).at(-1).contradictions, 0)
    const seen = counts().map(({ all }) => all)
    await assertStops(['login', next.url, '--email', 'a0@example.org', '--profile', 'new'], 'moved', old.url)
    assert.deepEqual(
      counts().map(({ all }) => all),
      seen,
    )
  })

  it('is forgotten in a person’s hand', async () => {
    assert.equal((await run(['move', '--forget', next.url])).status, 2)
    assert.deepEqual((await facts(['move', '--forget', next.url, '--yes']))[0].event, 'forgotten')
    assert.equal((await run(['move', '--forget', next.url, '--yes'])).status, 1)
    const outcome = await run(['login', next.url, '--email', 'a0@example.org', '--profile', 'new', '--json'])
    assert.equal(factsOf(outcome)[0].reason, 'error.server.moved')
  })

  it('is followed over a name between, at which this machine knows it too, and which gets nothing then', async () => {
    const call = { env: twoNames }
    const seenHere = () => pinsOf(twoNames.BLINDKEEP_HOME, old.url)
    await facts(['login', old.url, '--email', 'a0@example.org', ...two], call)
    assert.equal((await seenHere())?.movedTo, undefined)
    await moveTo(last)
    const [followed] = await facts(['move', last.url, '--yes'], call)
    assert.deepEqual([followed.from, followed.between, followed.to], [next.url, [old.url], last.url])
    assert.equal((await seenHere())?.movedTo, last.url)
    const seen = counts()
    await assertStops(['ls', ...two], 'moved', last.url, call)
    assert.deepEqual(counts(), seen)
  })
})
