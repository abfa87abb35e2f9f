import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { link, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { openMailReceiver, openReceiver } from '../../../../../testing/receivers.ts'
import { createSentAlarmsFile } from '../../adapters/filesystem/sentAlarmsFile.ts'
import { createMessenger } from '../../adapters/messenger/messenger.ts'
import { inWorld, type World } from '../../testing/world.ts'
import type { AlarmKind } from './alarms.ts'
import { createOperatorMessages, PAUSE_MS } from './operatorMessages.ts'

const never = new AbortController().signal
const HOUR = PAUSE_MS / 1000

interface Watching {
  readonly world: World
  readonly mail: Awaited<ReturnType<typeof openMailReceiver>>
  readonly hook: Awaited<ReturnType<typeof openReceiver>>
  /** Two looks a minute apart, which see these. */
  see(kinds: readonly AlarmKind[], isSeen?: (kind: AlarmKind) => boolean): Promise<void>
  restart(): void
  /** The memory of the process that starts next is on a disk that does not answer until the result is called. */
  freezeDisk(): Promise<() => Promise<void>>
  /** Nothing can be written until the result is called. */
  fillDisk(): Promise<() => Promise<void>>
}

/** A real mail server and a real webhook at private addresses. */
function watching(work: (given: Watching) => Promise<void>): () => Promise<void> {
  return inWorld(async (world) => {
    const [mail, hook] = [await openMailReceiver(), await openReceiver()]
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-alarms-'))
    const smtp = { host: '127.0.0.1', port: mail.port, isTls: false, isLoopback: true, from: 'keep@keep.example' }
    const messenger = createMessenger(
      { clock: world.clock, pushSigner: world.keyring.pushSigner },
      {
        offered: ['webhook', 'email'],
        networks: ['0.0.0.0/0', '::/0'],
        serverId: world.settings.serverId,
        mail: { ...smtp, user: undefined, password: undefined },
        saysWhy: true,
      },
    )
    let seen: Parameters<Watching['see']> = [[]]
    /** In place of the limits of the next questions. */
    const patienceMs: number[] = []
    const look = async () => {
      const [kinds, isSeen = () => true] = seen
      return { alarms: kinds.map((kind) => ({ kind, what: `This is ${kind}.` })), isSeen }
    }
    const make = () =>
      createOperatorMessages({
        ...world,
        look,
        messenger,
        sent: createSentAlarmsFile(join(directory, 'alarms')),
        giveUpAfter: (ms) => AbortSignal.timeout(patienceMs.shift() ?? ms),
        targets: [
          { kind: 'email', address: 'operator@example.org' },
          { kind: 'webhook', url: `http://127.0.0.1:${hook.port}/alarms`, secret: new Uint8Array(32) },
        ],
      })
    let messages = make()
    try {
      await work({
        world,
        mail,
        hook,
        async see(...next) {
          seen = next
          for (let looks = 0; looks < 2; looks += 1) {
            await messages.tend(never)
            world.clock.advance(60)
          }
        },
        restart() {
          messages = make()
        },
        async freezeDisk() {
          const path = join(directory, 'alarms')
          const content = await readFile(path).catch(() => '{}')
          const pipe = join(directory, 'pipe')
          await promisify(execFile)('mkfifo', [pipe])
          await rm(path, { force: true })
          await link(pipe, path)
          patienceMs.push(50, 50)
          return () => writeFile(pipe, content)
        },
        async fillDisk() {
          await rm(directory, { recursive: true })
          return async () => void (await mkdir(directory))
        },
      })
    } finally {
      await mail.close()
      await hook.close()
      await rm(directory, { recursive: true })
    }
  })
}

const said = ({ hook }: Watching) =>
  hook.received.map(({ body }) => {
    const { type, data } = JSON.parse(body)
    assert.equal(type, 'server.alarms')
    return [data.begun.map(({ kind }: { readonly kind: string }) => kind), data.over]
  })

describe('messages to the operator', () => {
  it(
    'say once that alarms have begun and once that they are over, also across a restart, and nothing of notes',
    watching(async (given) => {
      const { see, restart, mail } = given
      await see(['damaged', 'backup_overdue', 'held'])
      await see(['damaged', 'backup_overdue', 'held'])
      restart()
      await see(['damaged'])
      assert.deepEqual(said(given), [
        [['damaged', 'backup_overdue'], []],
        [[], ['backup_overdue']],
      ])
      const [begun, over] = mail.received.map(({ text }) => text)
      assert.match(
        begun ?? '',
        /Subject: This is damaged, and 1 more \(keep\.example\)[\s\S]*critical: This is damaged\./,
      )
      assert.match(over ?? '', /Over: a backup is overdue\./)
    }),
  )

  it(
    'come at most once an hour for each kind',
    watching(async (given) => {
      for (let time = 0; time < 5; time += 1) {
        await given.see(['suspected'])
        await given.see([])
      }
      assert.deepEqual(said(given), [
        [['suspected'], []],
        [[], ['suspected']],
      ])
      given.world.clock.advance(HOUR)
      await given.see(['suspected', 'damaged'])
      assert.deepEqual(said(given).at(-1), [['suspected', 'damaged'], []])
    }),
  )

  it(
    'do not call over what could not be seen, and are tried again when no receiver took them',
    watching(async (given) => {
      const { see, hook, mail, world } = given
      mail.refusal = 550
      hook.answer = 500
      await see(['damaged'])
      const failed = world.logged.filter(({ event }) => event === 'a message to the operator failed')
      assert.deepEqual(
        failed.map(({ facts }) => facts),
        [
          { kind: 'email', fault: 'rejected', why: 'SMTP 550' },
          { kind: 'webhook', fault: 'receiver_failed', why: 'HTTP 500' },
        ],
      )
      hook.answer = 204
      await see(['not_ready'], (kind) => kind === 'not_ready')
      await see(['damaged', 'not_ready'])
      assert.deepEqual(said(given).slice(1), [
        [['not_ready'], []],
        [['damaged'], []],
      ])
      await see([])
      assert.deepEqual(said(given).at(-1), [[], ['not_ready', 'damaged']])
    }),
  )

  it(
    'are remembered once the disk takes it, if they could not be written when they were sent',
    watching(async (given) => {
      const { see, restart, fillDisk } = given
      const clear = await fillDisk()
      await assert.rejects(see(['disk_below_floor']), { code: 'ENOENT' })
      await clear()
      await see(['disk_below_floor'])
      restart()
      await see([])
      assert.deepEqual(said(given), [
        [['disk_below_floor'], []],
        [[], ['disk_below_floor']],
      ])
    }),
  )

  it(
    'are sent although the disk does not answer; what was sent before is called over once it does',
    watching(async (given) => {
      await given.see(['damaged'])
      given.restart()
      const thaw = await given.freezeDisk()
      await given.see(['bytes_away'])
      await thaw()
      await given.see([])
      assert.deepEqual(said(given), [
        [['damaged'], []],
        [['bytes_away'], []],
        [[], ['bytes_away', 'damaged']],
      ])
    }),
  )
})
