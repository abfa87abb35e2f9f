import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addSeconds, parseProtocolVersion } from '@blindkeep/protocol/ids'
import { announce, LEAD_DAYS } from '../../testing/announcing.ts'
import { defined, inWorld, type World } from '../../testing/world.ts'
import { settleWindow, WindowEmpty } from './protocolWindow.ts'

const DAY = 86_400
const version = (date: string) => defined(parseProtocolVersion(date))
const detailOf = (answer: object): string => ('refused' in answer && 'detail' in answer ? String(answer.detail) : '')
const listed = async ({ store }: World) =>
  (await store.read((tx) => tx.deprecations.list())).map(({ minProtocolVersion }) => minProtocolVersion)

describe('announcing a cutoff', () => {
  it(
    'keeps announcements in order, and serves them in both documents',
    inWorld(async (world) => {
      const { clock, rules } = world
      const first = await announce(world, '2026-03-01', { detailUrl: 'https://keep.example/news?of=march' })
      clock.advance(DAY)
      const second = await announce(world, '2026-11-01', { days: 200 })
      assert.deepEqual(first, {
        minProtocolVersion: '2026-03-01',
        announcedAt: addSeconds(clock.now(), -DAY),
        cutoff: addSeconds(clock.now(), (LEAD_DAYS - 1) * DAY),
        detailUrl: 'https://keep.example/news?of=march',
      })
      assert.ok(!('refused' in second))
      await rules.protocolWindow.refresh()
      assert.deepEqual(rules.discovery.deprecations(), [first, second])
      assert.deepEqual((await rules.discovery.serverInfo()).deprecations, [first, second])
    }),
  )

  it(
    'is refused when the cutoff is earlier than the promised lead',
    inWorld(async (world) => {
      assert.match(detailOf(await announce(world, '2026-03-01', { days: LEAD_DAYS - 1 / DAY })), /2026-08-30T00:00:00/)
      assert.deepEqual(await listed(world), [])
    }),
  )

  it(
    'is refused for a version outside the window, and for its lower end',
    inWorld(async (world) => {
      for (const date of ['2025-12-31', '2026-01-01', '2026-11-02'])
        assert.notEqual(detailOf(await announce(world, date)), '')
      assert.deepEqual(await listed(world), [])
    }),
  )

  it(
    'is refused when the version is no later than an announced one, or the cutoff is earlier',
    inWorld(async (world) => {
      await announce(world, '2026-05-01', { days: 200 })
      for (const [date, days] of [
        ['2026-05-01', 300],
        ['2026-04-01', 100],
        ['2026-04-01', 300],
        ['2026-06-01', 199],
      ] as const)
        assert.notEqual(detailOf(await announce(world, date, { days })), '', `${date} in ${days} days`)
      await announce(world, '2026-06-01', { days: 200 })
      assert.deepEqual(await listed(world), ['2026-05-01', '2026-06-01'])
    }),
  )

  it(
    'is refused for a detail URL that is not http or https',
    inWorld(async (world) => {
      for (const detailUrl of [
        '',
        'news',
        'ftp://keep.example',
        'javascript:alert(1)',
        `https://keep.example/${'x'.repeat(2048)}`,
      ])
        assert.match(detailOf(await announce(world, '2026-03-01', { detailUrl })), /URL/)
    }),
  )

  it(
    'succeeds once when many clients send it concurrently',
    inWorld(async (world) => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => announce(world, '2026-03-01')))
      assert.equal(answers.filter((answer) => 'refused' in answer).length, 7)
      assert.deepEqual(await listed(world), ['2026-03-01'])
    }),
  )
})

describe('the window', () => {
  it(
    'is raised by a cutoff at its instant, once the announcement was read',
    inWorld(async (world) => {
      const { clock, rules } = world
      const { protocolWindow } = rules
      await announce(world, '2026-03-01')
      assert.equal(protocolWindow.cutoffOf(version('2026-02-28')), undefined)
      await protocolWindow.refresh()
      assert.equal(protocolWindow.cutoffOf(version('2026-02-28'))?.minProtocolVersion, '2026-03-01')
      assert.equal(protocolWindow.cutoffOf(version('2026-03-01')), undefined)
      clock.advance(LEAD_DAYS * DAY - 0.001)
      assert.deepEqual(protocolWindow.current(), { min: '2026-01-01', max: '2026-11-01' })
      clock.advance(0.001)
      assert.deepEqual(protocolWindow.current(), { min: '2026-03-01', max: '2026-11-01' })
      const { min, max } = await rules.discovery.serverInfo()
      assert.deepEqual([min, max], ['2026-03-01', '2026-11-01'])
      assert.deepEqual(
        world.restarted().protocolWindow.current().min,
        '2026-01-01',
        'a start reads the announcements first',
      )
    }),
  )

  it(
    'names the earliest cutoff that ends a version, also after it has passed',
    inWorld(async (world) => {
      const { protocolWindow } = world.rules
      await announce(world, '2026-03-01')
      await announce(world, '2026-06-01', { days: 200 })
      await protocolWindow.refresh()
      const below = (date: string) => protocolWindow.cutoffOf(version(date))?.minProtocolVersion
      for (let time = 0; time < 3; time += 1) {
        assert.deepEqual(['1999-01-01', '2026-02-01', '2026-03-01', '2026-05-31', '2026-06-01'].map(below), [
          '2026-03-01',
          '2026-03-01',
          '2026-06-01',
          '2026-06-01',
          undefined,
        ])
        world.clock.advance(100 * DAY)
      }
      assert.equal(protocolWindow.current().min, '2026-06-01')
    }),
  )

  it(
    'is never empty: a start refuses it',
    inWorld(async (world) => {
      await announce(world, '2026-11-01')
      await settleWindow(world.store, world.settings.window)
      const narrower = { ...world.settings.window, max: version('2026-10-01') }
      await assert.rejects(settleWindow(world.store, narrower), WindowEmpty)
    }),
  )

  it(
    'is not lowered by a cutoff below the configured lower end',
    inWorld(
      async (world) => {
        const wider = {
          ...world,
          settings: { ...world.settings, window: { min: version('2026-01-01'), max: version('2026-11-01') } },
        }
        await announce(wider, '2026-03-01')
        await world.rules.protocolWindow.refresh()
        world.clock.advance(LEAD_DAYS * DAY)
        assert.equal(world.rules.protocolWindow.current().min, '2026-06-01')
      },
      { settings: { window: { min: version('2026-06-01'), max: version('2026-11-01') } } },
    ),
  )
})
