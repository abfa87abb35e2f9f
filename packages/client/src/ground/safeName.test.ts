import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../../testing/decoding.ts'
import { safeName } from './safeName.ts'

describe('a name made safe for a disk', () => {
  const cases: Readonly<Record<string, string>> = {
    'holiday.jpg': 'holiday.jpg',
    'Ünïcödé 文件 файл.txt': 'Ünïcödé 文件 файл.txt',
    '../../etc/passwd': '_.._etc_passwd',
    '..\\..\\boot.ini': '_.._boot.ini',
    'C:\\autoexec.bat': 'C__autoexec.bat',
    'a/b:c*d?e"f<g>h|i': 'a_b_c_d_e_f_g_h_i',
    'photo\u202Egpj.exe': 'photogpj.exe',
    'a\u2066b\u2069c\u200Bd\uFEFF': 'abcd',
    'a\r\nSet-Cookie b\0\x7F\u0085': 'aSet-Cookie b',
    '.bashrc': 'bashrc',
    'name.  . ': 'name',
    '  spaced \t out  ': 'spaced out',
    '-rf': '_-rf',
    '. --help': '_--help',
    'a-b -c': 'a-b -c',
    con: '_con',
    'CON.txt': '_CON.txt',
    'con .txt': '_con .txt',
    'com1.tar.gz': '_com1.tar.gz',
    'lpt¹': '_lpt¹',
    'console.log': 'console.log',
    '<img src=x onerror=alert(1)>': '_img src=x onerror=alert(1)_',
    '': 'unnamed',
    '...': 'unnamed',
    '\u202E\u2028': 'unnamed',
    '\u200D\u200D': 'unnamed',
    '\uD800': '\uFFFD',
    'e\u0301': '\u00E9',
    '👩\u200D👩\u200D👧.png': '👩\u200D👩\u200D👧.png',
  }
  for (const [hostile, safe] of Object.entries(cases)) {
    it(`is ${JSON.stringify(safe)} for ${JSON.stringify(hostile)}`, () => assert.equal(safeName(hostile), safe))
  }

  it('is shortened to 255 bytes before its extension, between characters', () => {
    const long = safeName(`${'é'.repeat(40_000)}.jpeg`)
    assert.equal(long, `${'é'.repeat(125)}.jpeg`)
    assert.equal(Buffer.byteLength(long), 255)
    assert.equal(safeName(`a.${'x'.repeat(70_000)}`).length, 255)
    assert.equal(safeName('😀'.repeat(100)), '😀'.repeat(63))
  })

  it('is always one short visible name without separators, and is stable', () => {
    const anything = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 400 }),
      fc.string({
        unit: fc.constantFrom('.', ' ', '/', '\\', '\0', '\u202E', 'a', 'con', '\u200D', 'é', '😀', '\u0301'),
      }),
    )
    fc.assert(
      fc.property(anything, (name) => {
        const safe = safeName(name)
        assert.ok(safe.length > 0 && Buffer.byteLength(safe) <= 255)
        assert.doesNotMatch(safe, /[/\\:*?"<>|\p{Cc}\u202A-\u202E\u2066-\u2069]|^[. ]|[. ]$/u)
        assert.equal(safeName(safe), safe)
      }),
      { numRuns: 2000 },
    )
  })
})
