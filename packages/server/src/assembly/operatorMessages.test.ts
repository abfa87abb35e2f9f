import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { openReceiver } from '../../../../testing/receivers.ts'
import { readConfig } from '../config/config.ts'
import { object } from '../contracts/store/world.ts'
import { createQuota } from '../domain/quota/quota.ts'
import { defined, inWorld } from '../testing/world.ts'
import { LOOK_MS, openOperatorMessages } from './operatorMessages.ts'

const SETTINGS = { ALARM_WEBHOOK_SECRET: Buffer.alloc(32).toString('base64') }

it(
  'rows that never answer are a message after two looks, and are asked for once',
  inWorld(async ({ store, clock, keyring, settings, log }) => {
    const hook = await openReceiver()
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-alarms-'))
    const config = readConfig({ ...SETTINGS, DATA_DIR: directory, ALARM_WEBHOOK: `http://127.0.0.1:${hook.port}/` })
    assert.ok(!('faults' in config))
    let asked = 0
    let isFrozen = true
    const answered = Promise.withResolvers<void>()
    const frozen: typeof store = {
      ...store,
      async ask(work) {
        if (isFrozen) {
          asked += 1
          await answered.promise
        }
        return store.ask(work)
      },
    }
    const quota = createQuota({ softBytes: 1, hardBytes: 2, graceDays: 14 })
    const around = () => ({ unready: [], freeBytes: Number.POSITIVE_INFINITY, floorBytes: 0 })
    const { serverId } = settings
    const giveUpAfter = (ms: number) => AbortSignal.timeout(isFrozen && ms === LOOK_MS ? 50 : ms)
    try {
      const watched = { store: frozen, node: { clock }, keyring, quota, around, serverId, log, giveUpAfter }
      const messages = defined(openOperatorMessages(config, watched))
      const look = async () => {
        await messages.tend(new AbortController().signal)
        clock.advance(60)
      }
      await look()
      await look()
      const heard = () => hook.received.map(({ body }) => JSON.parse(body).data)
      assert.deepEqual(
        heard()[0].begun.map(({ what }: { readonly what: string }) => what),
        ['Not ready: the rows cannot be read.'],
      )
      assert.equal(asked, 1)
      isFrozen = false
      answered.resolve()
      await look()
      assert.deepEqual(heard()[1].over, ['not_ready'])
    } finally {
      await hook.close()
      await rm(directory, { recursive: true })
    }
  }),
)

it(
  'a suspicion that is over within a minute is no message to the operator',
  inWorld(async ({ store, clock, keyring, settings, log }) => {
    const hook = await openReceiver()
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-alarms-'))
    const config = readConfig({ ...SETTINGS, DATA_DIR: directory, ALARM_WEBHOOK: `http://127.0.0.1:${hook.port}/` })
    assert.ok(!('faults' in config))
    const quota = createQuota({ softBytes: 1, hardBytes: 2, graceDays: 14 })
    const around = () => ({ unready: [], freeBytes: Number.POSITIVE_INFINITY, floorBytes: 0 })
    const { serverId } = settings
    try {
      const messages = defined(
        openOperatorMessages(config, {
          store,
          node: { clock },
          keyring,
          quota,
          around,
          serverId,
          log,
          giveUpAfter: AbortSignal.timeout,
        }),
      )
      const { location } = object(1)
      const look = async (isSuspected: boolean) => {
        const at = clock.now()
        await store.write([], async (tx) => {
          await (isSuspected ? tx.objects.suspect(location, at) : tx.objects.noteIntact(location, { readAt: at, at }))
        })
        await messages.tend(new AbortController().signal)
        // Looks begin a minute apart, so that one has ended less than a minute before the next.
        clock.advance(59)
      }
      await store.write([], (tx) => tx.objects.insert(object(1, { state: 'kept', since: clock.now() })))
      await look(true)
      await look(false)
      assert.equal(hook.received.length, 0)
      await look(true)
      await look(true)
      assert.equal(hook.received.length, 1)
    } finally {
      await hook.close()
      await rm(directory, { recursive: true })
    }
  }),
)
