/** `blindkeep inbox watch` as a process: exactly once, whatever breaks. */
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openLink, send } from '@blindkeep/client/guest'
import { nodeEnvironment as environment } from '@blindkeep/client/node'
import { sourceOfBytes } from '@blindkeep/client/source'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import { sendFile } from '../../../../testing/people.ts'
import { until } from '../../../../testing/until.ts'
import { holding, isContentOf, openOffice } from '../testing/office.ts'
import { noSmallDisk, onSmallDisk } from '../testing/smallDisk.ts'
import { type Fact, openWorld } from '../testing/world.ts'

// A session is renewed many times while a test runs.
const world = await openWorld({ ACCESS_TOKEN_SECONDS: '2' })
const { root, start, run } = world
const here = await openOffice(world, 'office')

interface Watching {
  readonly child: ChildProcess
  readonly facts: readonly Fact[]
  /** Resolves with the first fact for which it is true, also of before. */
  until(matches: (fact: Fact) => boolean): Promise<Fact>
  end(signal: NodeJS.Signals): Promise<number | null>
}

const MANY = 20

const running = new Set<ChildProcess>()
after(() => {
  for (const child of running) child.kill('SIGKILL')
})

function watching(folder: string, ...more: readonly string[]): Watching {
  const child = start(['inbox', 'watch', '--profile', here.profile, '--save', folder, '--json', ...more], {
    env: { BLINDKEEP_PASSWORD: 'a secret' },
  })
  running.add(child)
  const closed = once(child, 'close')
  assert.ok(child.stdout && child.stderr)
  let errors = ''
  child.stderr.on('data', (piece) => {
    errors += piece
  })
  const facts: Fact[] = []
  const waiting = new Set<() => void>()
  const tell = () => {
    for (const each of waiting) each()
  }
  createInterface(child.stdout).on('line', (line) => {
    facts.push(JSON.parse(line))
    tell()
  })
  child.once('close', tell)
  return {
    child,
    facts,
    until: (matches) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = facts.find(matches)
          if (found !== undefined) resolve(found)
          else if (child.exitCode !== null || child.signalCode !== null) reject(new Error(`it has ended: ${errors}`))
          else return
          waiting.delete(look)
        }
        waiting.add(look)
        look()
      }),
    async end(signal) {
      child.kill(signal)
      await closed
      running.delete(child)
      return child.exitCode
    },
  }
}

const isSaved = (dropId: string) => (fact: Fact) => fact.event === 'saved' && fact.drop_id === dropId
const inFolder = async (folder: string) => (await readdir(join(root, folder))).sort()

/** Each test has a link of its own, and watches that. */
async function newLink() {
  const { url, opaqueId } = await here.owner.createLink({ label: 'Front desk' })
  const drop = (name: string, content: Uint8Array = randomBytes(1000), facts = {}) =>
    here.drop(content, { ...facts, name }, url)
  return { drop, url, opaqueId, link: ['--link', opaqueId] as const }
}

describe('blindkeep inbox watch', () => {
  it('saves each drop once, over restarts of the server and of itself, until SIGTERM', async () => {
    const { drop, link } = await newLink()
    const before = await drop('before')
    const first = watching('live', ...link)
    await first.until(isSaved(before))
    await first.until(isSaved(await drop('live')))
    const second = await run(['inbox', 'watch', '--profile', here.profile, '--save', 'live'])
    assert.equal(second.status, 1)
    assert.match(second.stderr, /Another process saves drops into/)
    await world.server.restart()
    await first.until(isSaved(await drop('restarted')))
    await first.end('SIGKILL')
    const meanwhile = await drop('meanwhile')
    const again = watching('live', ...link)
    await again.until(isSaved(meanwhile))
    await again.until(isSaved(await drop('last')))
    assert.equal(await again.end('SIGTERM'), 0)
    assert.deepEqual(
      again.facts.map(({ event }) => event),
      ['watching', 'saved', 'saved', 'stopped'],
    )
    assert.deepEqual(await inFolder('live'), ['before', 'last', 'live', 'meanwhile', 'restarted'])
  })

  it('goes on with a drop whose line is cut, and tells an altered one once and leaves it alone', async () => {
    const { drop, link } = await newLink()
    const [cut, altered] = [await drop('cut', randomBytes(500_000)), await drop('altered', randomBytes(500_000))]
    world.proxy.tamper(
      { matches: isContentOf(cut), times: 2, sparesEndedTokens: true, cut: { afterBytes: 100_000 } },
      {
        matches: isContentOf(altered),
        sparesEndedTokens: true,
        answer: ({ headers, body }) => ({ headers, body: Buffer.concat([body.subarray(0, -9), randomBytes(9)]) }),
      },
    )
    const watch = watching('cut', ...link, '--discard')
    await watch.until(isSaved(cut))
    // Whatever is under way or retried would be seen until here.
    await watch.until(isSaved(await drop('fine')))
    world.proxy.tamper()
    assert.equal(await watch.end('SIGINT'), 130)
    const failed = watch.facts.filter(({ event }) => event === 'failed')
    assert.deepEqual(
      failed.map(({ name, reason }) => [name, reason]),
      [['altered', 'altered']],
    )
    // From the byte on that was missing. A connection that ends while it is used again costs one more try.
    const answered = world.proxy.seen.filter(({ status }) => status !== 401)
    const ranges = answered.filter(isContentOf(cut)).map(({ headers }) => headers.range)
    assert.ok(ranges.length >= 3 && ranges.every((range, index) => (range === undefined) === (index === 0)))
    assert.equal(answered.filter(isContentOf(altered)).length, 1)
    assert.deepEqual(await inFolder('cut'), ['cut', 'fine'])
  })

  it('says once what the watched link has refused, and nothing of another one', async () => {
    const [one, other] = [await newLink(), await newLink()]
    const refused = async ({ opaqueId, url }: Pick<typeof one, 'opaqueId' | 'url'>) => {
      // The guest has seen the link before.
      const source = sourceOfBytes(randomBytes(100_000))
      const state = await (await openLink(url, environment)).prepare({ source, name: 'large' })
      await here.owner.changeLink(opaqueId, { maxFileSize: 20_000 })
      await assert.rejects(send({ state, source, environment }))
      const isCounted = async () =>
        (await here.owner.listLinks()).some((link) => link.opaqueId === opaqueId && link.refused !== undefined)
      await until(isCounted, 'the refusal is counted')
    }
    await refused(one)
    const watch = watching('refused', ...one.link)
    const fact = await watch.until(({ event }) => event === 'refused')
    assert.deepEqual(
      [fact.link_id, fact.link_label, fact.why, fact.count],
      [one.opaqueId, 'Front desk', 'too_large', 1],
    )
    await refused(other)
    // The event of the refusal comes before it.
    await watch.until(isSaved(await one.drop('last', randomBytes(5))))
    assert.equal(await watch.end('SIGTERM'), 0)
    assert.equal(watch.facts.filter(({ event }) => event === 'refused').length, 1)
  })

  it('saves drops while the links cannot be read, and says what they have refused once they can', async () => {
    const { drop, url, opaqueId, link } = await newLink()
    await here.owner.changeLink(opaqueId, { maxFileSize: 20_000 })
    const guest = await openLink(url, environment)
    const watch = watching('unlisted', ...link)
    await watch.until(isSaved(await drop('first')))
    const isOfLinks = ({ path }: { readonly path: string }) => path.startsWith('/v1/drops/links')
    world.proxy.tamper({ matches: isOfLinks, instead: 500 })
    const before = world.proxy.seen.filter(isOfLinks).length
    assert.ok(await guest.noteHeldBack('too_large'))
    await until(() => world.proxy.seen.filter(isOfLinks).length > before, 'the event of the refusal has come')
    await watch.until(isSaved(await drop('second')))
    world.proxy.tamper()
    await watch.until(isSaved(await drop('third')))
    await watch.until(({ event }) => event === 'refused')
    assert.equal(await watch.end('SIGTERM'), 0)
  })

  it('ends while bytes come without a trace of the file', async () => {
    const { drop, link } = await newLink()
    const dropId = await drop('big', randomBytes(3_000_000))
    const hold = holding(isContentOf(dropId), 1_000_000)
    world.proxy.tamper(hold)
    const watch = watching('ended', ...link)
    await hold.held
    assert.equal(await watch.end('SIGTERM'), 0)
    world.proxy.tamper()
    assert.deepEqual(await inFolder('ended'), [])
  })

  it('runs a program without a shell, and ends only the drops for which it has ended with 0', async () => {
    const { drop, link } = await newLink()
    const program = join(root, 'program')
    const [seen, mended] = [join(root, 'seen'), join(root, 'mended')]
    const facts =
      '$BLINDKEEP_NAME|$BLINDKEEP_SENDER|$BLINDKEEP_SIZE|$BLINDKEEP_LINK_LABEL|$(printenv BLINDKEEP_PASSWORD)'
    const all = join(root, 'facts')
    await writeFile(
      program,
      `#!/bin/sh\necho "$1|$2|${facts}" >> '${seen}'
stat -c %a "$BLINDKEEP_FACTS" >> '${all}'; cat "$BLINDKEEP_FACTS" >> '${all}'; echo "$BLINDKEEP_FACTS" >> '${all}'
case "$2" in *bad*) test -e '${mended}';; esac\n`,
    )
    await chmod(program, 0o755)
    const args = [...link, '--exec', program, '--exec-arg', 'first $HOME', '--discard']
    const hostile = `$(touch pwned); \`x\` 'good'`
    const fields = [['Matter', '17"; $(touch pwned) `touch pwned`']] as const
    const good = await drop(hostile, randomBytes(7), { sender: 'Ada; rm', note: 'a\nb', fields })
    const bad = await drop('bad')
    const watch = watching('exec', ...args)
    await watch.until(({ event, drop_id }) => event === 'discarded' && drop_id === good)
    const failed = await watch.until(({ event, drop_id }) => event === 'failed' && drop_id === bad)
    assert.match(failed.message, /program ended with 1\. The file is at .*bad\. It is run again at the next start/)
    const next = await drop('next')
    await watch.until(({ event, drop_id }) => event === 'discarded' && drop_id === next)
    assert.equal(await watch.end('SIGTERM'), 0)
    assert.ok((await here.pending()).includes(bad))
    const lines = (await readFile(seen, 'utf8')).trim().split('\n')
    assert.equal(lines.length, 3)
    const path = join(root, 'exec', hostile)
    assert.ok(lines.includes(`first $HOME|${path}|${hostile}|Ada; rm|7|Front desk|`), lines.join('\n'))
    assert.ok(!(await readdir(root)).includes('pwned'))
    const read = (await readFile(all, 'utf8')).split('\n')
    const at = read.findIndex((line) => line.includes(good))
    assert.equal(read[at - 1], '600')
    const { drop_id, path: file, claimed_note, claimed_fields } = JSON.parse(read[at] ?? '')
    const [[label, value]] = fields
    assert.deepEqual([drop_id, file, claimed_note, claimed_fields], [good, path, 'a\nb', [{ label, value }]])
    const whileItRuns = read[at + 1] ?? ''
    await assert.rejects(readFile(whileItRuns), { code: 'ENOENT' })

    const ofKilled = [whileItRuns, `${whileItRuns}.half`]
    for (const left of ofKilled) await writeFile(left, 'a guest’s words')
    await writeFile(mended, '')
    const again = watching('exec', ...args)
    await again.until(({ event, drop_id }) => event === 'discarded' && drop_id === bad)
    await again.end('SIGTERM')
    for (const left of ofKilled) await assert.rejects(readFile(left), { code: 'ENOENT' })
    assert.ok(!again.facts.some(({ event }) => event === 'saved'))
    assert.deepEqual(await inFolder('exec'), [hostile, 'bad', 'next'].sort())
  })

  it('waits for room on a full disk, says so once, and goes on when there is some', {
    skip: noSmallDisk,
  }, async () => {
    const { drop, link } = await newLink()
    const folder = join(root, 'full')
    await onSmallDisk(folder, async () => {
      const first = await drop('first', randomBytes(700_000))
      const watch = watching('full', ...link)
      await watch.until(isSaved(first))
      const second = await drop('second', randomBytes(700_000))
      await watch.until(({ event, drop_id }) => event === 'failed' && drop_id === second)
      await watch.until(isSaved(await drop('small')))
      assert.deepEqual(await inFolder('full'), ['first', 'small'])
      await rm(join(folder, 'first'))
      await watch.until(isSaved(second))
      assert.equal(watch.facts.filter(({ event }) => event === 'failed').length, 1)
      await watch.end('SIGTERM')
    })
  })

  it('saves each of many drops once, although it is killed in the middle', async () => {
    const { url, opaqueId } = await here.owner.createLink()
    const names = Array.from({ length: MANY }, (_, number) => `file${String(number).padStart(3, '0')}`)
    const args = ['--link', opaqueId, '--discard']
    const first = watching('many', ...args)
    const dropping = mapConcurrently(names, 4, (name) => sendFile(url, randomBytes(10), { name }))
    await first.until(({ event }) => event === 'discarded')
    await first.end('SIGKILL')
    await dropping
    const second = watching('many', ...args)
    while ((await here.owner.inbox()).some((drop) => drop.opaqueId === opaqueId)) await wait(100)
    await second.end('SIGTERM')
    assert.deepEqual(await inFolder('many'), names)
  })

  it('says what to do when the session is over, and ends', async () => {
    const watch = watching('over')
    await watch.until(({ event }) => event === 'watching')
    for (const session of await here.owner.sessions())
      if (!session.isCurrent) await here.owner.endSession(session.sessionId)
    await watch.until(({ event, reason }) => event === 'failed' && reason === 'error.auth.session_expired')
    await once(watch.child, 'close')
    assert.equal(watch.child.exitCode, 1)
  })
})
