import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { linkKeysOf } from './dropKeys.ts'
import { formatLink, parseLink } from './linkAddress.ts'
import { LinkError, type LinkFault } from './linkError.ts'

const opaqueId = '00112233445566778899aabbccddeeff'
const { fragment } = linkKeysOf(randomBytes(32), Uint8Array.from(Buffer.from(opaqueId, 'hex')))
const link = (baseUrl: string) => formatLink({ baseUrl, opaqueId, fragment })
const refused = (reason: LinkFault) => (error: unknown) =>
  error instanceof LinkError && error.reason === reason && !error.message.includes(opaqueId)

describe('the address of an upload link', () => {
  for (const baseUrl of ['https://keep.example', 'https://keep.example/below/here', 'http://127.0.0.1:8080'])
    it(`is read back, at ${baseUrl}`, () => {
      const parsed = parseLink(link(baseUrl))
      assert.deepEqual([parsed.baseUrl, parsed.opaqueId], [baseUrl, opaqueId])
      assert.equal(parsed.fragment.linkSecret.length, 16)
    })

  it('is the same when it is given in parts', () => {
    const parts = { baseUrl: 'https://keep.example/', opaqueId, fragment: `#${fragment}` }
    assert.deepEqual(parseLink(parts), parseLink(link('https://keep.example')))
  })

  it('is the same after programs have rewritten its # or appended something', () => {
    const whole = link('https://keep.example')
    const rewritten = ['%23', '%2523'].map((sign) => whole.replace('#', sign))
    for (const text of [whole, ...rewritten])
      for (const end of ['', '.', ')', '>', '=', '%3D', '&amp;from=mail', '?utm_source=mail', '/'])
        assert.deepEqual(parseLink(`<${text}${end}`), parseLink(whole), `${text}${end}`)
    const parts = { baseUrl: 'https://keep.example', opaqueId, fragment: `#${fragment}).` }
    assert.deepEqual(parseLink(parts), parseLink(whole))
    for (const text of rewritten) assert.throws(() => parseLink(text.slice(0, -1)), refused('malformed'))
  })

  it('is refused without its fragment', () => {
    const whole = link('https://keep.example')
    assert.throws(() => parseLink(whole.slice(0, whole.indexOf('#'))), refused('fragment_missing'))
    assert.throws(() => parseLink(whole.slice(0, whole.indexOf('#') + 1)), refused('fragment_missing'))
  })

  it('is refused when it is incomplete or mistyped', () => {
    const whole = link('https://keep.example')
    const broken = [
      whole.slice(0, -1),
      `${whole}A`,
      whole.replace('/u/', '/v/'),
      whole.replace(opaqueId, 'abc'),
      opaqueId,
      '',
      'ftp://x/u/y#z',
    ]
    for (const text of broken) assert.throws(() => parseLink(text), refused('malformed'), text)
  })
})
