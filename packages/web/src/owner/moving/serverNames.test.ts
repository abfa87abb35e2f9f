import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ServerInfoResponse } from '@blindkeep/protocol/schemas/discovery'
import { formerNameIn, nextNameIn } from './serverNames.ts'

const ON = '2026-12-01T00:00:00.000Z'
const DAY_MS = 86_400_000
const onDay = (day: number, baseUrl = 'https://keep.example') => ({ baseUrl, nowMs: Date.parse(ON) + day * DAY_MS })
const announcing = (server_id: string, on = ON) => ({ moves_to: { server_id, on } }) as ServerInfoResponse
const movedFrom = (server_id: string) => ({ moved_from: { server_id, moved_at: ON } }) as ServerInfoResponse
const nothing = {} as ServerInfoResponse

describe('the next name of a server', () => {
  it('is shown from its announcement until a month after its day', () => {
    const shown = { name: 'drop.example', isOtherHost: true, on: ON }
    assert.deepEqual(nextNameIn(announcing('https://drop.example'), onDay(-400)), shown)
    assert.deepEqual(nextNameIn(announcing('https://drop.example'), onDay(29)), shown)
    assert.equal(nextNameIn(announcing('https://drop.example'), onDay(30)), undefined)
    assert.equal(nextNameIn(nothing, onDay(0)), undefined)
  })

  it('is an origin other than the present one', () => {
    const texts = ['https://keep.example', 'https://drop.example/', 'https://a@drop.example', 'https://drop.example/u']
    for (const text of [...texts, 'javascript:alert(1)', 'https://DROP.example', 'ftp://drop.example', 'drop.example'])
      assert.equal(nextNameIn(announcing(text), onDay(0)), undefined, text)
    assert.equal(nextNameIn(announcing('https://drop.example', 'tomorrow'), onDay(0)), undefined)
  })

  it('is of plain characters, and no longer than a name is', () => {
    const hosts = [
      'a'.repeat(300),
      'drop.example!your-files-are-lost',
      "drop.example'$(x)",
      'tr\u00e4sor.example',
      '\u202eelpmaxe',
    ]
    for (const host of hosts) {
      assert.equal(nextNameIn(announcing(`https://${host}`), onDay(0)), undefined, host)
      assert.equal(formerNameIn(movedFrom(`https://${host}`), onDay(0)), undefined, host)
    }
    assert.equal(nextNameIn(announcing('https://xn--trsor-jra.example'), onDay(0))?.name, 'xn--trsor-jra.example')
  })

  it('has its scheme where it has no TLS, and says whether the passkeys stay', () => {
    assert.equal(nextNameIn(announcing('http://10.0.0.1:8080'), onDay(0))?.name, 'http://10.0.0.1:8080')
    const samePasskeys = nextNameIn(announcing('https://keep.example:8443'), onDay(0, 'https://keep.example/files'))
    assert.deepEqual([samePasskeys?.name, samePasskeys?.isOtherHost], ['keep.example:8443', false])
  })
})

describe('the former name of a server', () => {
  it('is shown for ninety days', () => {
    const here = (day: number) => onDay(day, 'https://drop.example')
    const shown = { name: 'keep.example', endsPasskeys: true, movedAt: ON }
    assert.deepEqual(formerNameIn(movedFrom('https://keep.example'), here(89)), shown)
    assert.equal(formerNameIn(movedFrom('https://keep.example'), here(90)), undefined)
    assert.equal(formerNameIn(movedFrom('https://drop.example'), here(0)), undefined)
    assert.equal(formerNameIn(nothing, here(0)), undefined)
  })

  it('had passkeys only where browsers make them, and ends them only with the host', () => {
    const endsPasskeys = (origin: string) =>
      formerNameIn(movedFrom(origin), onDay(0, 'https://drop.example'))?.endsPasskeys
    assert.deepEqual(
      ['http://localhost:8080', 'https://drop.example:8443', 'http://127.0.0.1:8080', 'http://[::1]:8080'].map(
        endsPasskeys,
      ),
      [true, false, false, false],
    )
  })
})
