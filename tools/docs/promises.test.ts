/** What documents promise by name or number is there: tests, scripts, JSON events, and limits that are constants. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { TROUBLES } from '../../packages/cli/src/send/progress.ts'
import { type Operation, operations } from '../../packages/protocol/src/operations.ts'
import { DELIVERY_FAULTS } from '../../packages/protocol/src/schemas/channels.ts'
import { LINK_REFUSALS } from '../../packages/protocol/src/schemas/links.ts'
import { SETTINGS } from '../../packages/server/src/config/settings.ts'
import { MAX_SESSIONS } from '../../packages/server/src/domain/account/sessions.ts'
import { MAX_OPEN_SESSIONS } from '../../packages/server/src/domain/drops/linkPlaces.ts'
import {
  MAX_CODES_OF_MAILBOX,
  MAX_MESSAGES_OF_ADDRESS,
  MAX_MESSAGES_OF_HOST,
  MAX_NEWS_OF_ACCOUNT,
  MAX_REQUESTED_OF_ACCOUNT,
} from '../../packages/server/src/domain/notify/sendingLimits.ts'
import { MAX_ATTEMPTS } from '../../packages/server/src/domain/passphrases/judgePassphrase.ts'
import { MAX_TAKEN_FILES, MAX_TAKEN_HOURS } from '../../packages/web/src/take/takenFiles.ts'
import { projectFiles, ROOT } from '../projectFiles.ts'

const files = projectFiles()
const textOf = (file: string) => readFileSync(`${ROOT}${file}`, 'utf8')
const security = textOf('SECURITY.md')

/** Small numbers are words in prose. */
const inWords = (count: number) =>
  ({ 3: 'three', 4: 'four', 5: 'five', 10: 'ten' })[count] ?? count.toLocaleString('en')

/** By document. A change of a constant has to change the sentence. */
const FIGURES: Readonly<Record<string, readonly string[]>> = {
  'SECURITY.md': [
    `${inWords(MAX_NEWS_OF_ACCOUNT)} about files in a window of a minute`,
    `${inWords(MAX_REQUESTED_OF_ACCOUNT)} tests and codes in one of 15 minutes`,
    `${inWords(MAX_CODES_OF_MAILBOX)} codes in a window of a day for a mailbox`,
    `${inWords(MAX_MESSAGES_OF_ADDRESS)} messages in a window of a minute for an address, ${MAX_MESSAGES_OF_HOST} for a host`,
    `from ${MAX_OPEN_SESSIONS} with sessions that have received a byte`,
    `or ${MAX_ATTEMPTS} wrong passphrases`,
    `there are at most ${MAX_SESSIONS}.`,
    `for at most ${MAX_TAKEN_HOURS} hours`,
    `up to ${MAX_TAKEN_FILES} files`,
  ],
  'docs/operating.md': [`at most ${inWords(MAX_CODES_OF_MAILBOX)} a day`],
  'docs/owner.md': [
    `At most ${Number(SETTINGS.inboxFilesMax.shown).toLocaleString('en')} files wait`,
    `${MAX_TAKEN_HOURS} hours and ${MAX_TAKEN_FILES}`,
  ],
}

/** The last column of SECURITY.md's tables, below `packages/`: `server `json`, `linear`; web `e2e/guest``. */
function testsNamed(): readonly string[] {
  const rows = security
    .split('\n')
    .filter((line) => /^\|.*\|.*\| (client|server|web|cli|protocol) `[^|]*\|$/.test(line))
  return rows.flatMap((row) => {
    const named = [...(row.split('|').at(-2) ?? '').matchAll(/(?:(client|server|web|cli|protocol) )?`([\w./]+)`/g)]
    let inPackage = ''
    return named.map(([, name = inPackage, test = '']) => {
      inPackage = name
      return `packages/${inPackage}/…/${test.replace(/\.mal$/, '.maliciousServer')}`
    })
  })
}

/** Of the command line: each `event` of the objects that it prints with `--json`. */
function eventsPrinted(): readonly string[] {
  const sources = files.filter(
    (file) => /^packages\/cli\/src\/.*\.ts$/.test(file) && !/\.test\.ts$|\/testing\//.test(file),
  )
  return sources.flatMap((file) =>
    [...textOf(file).matchAll(/\bevent: ([^,}\n]+)/g)].flatMap(([, value = '']) => {
      const names = [...value.replaceAll(/=== '\w+'/g, '').matchAll(/'(\w+)'/g)].map(([, name = '']) => name)
      assert.notDeepEqual(names, [], `${file} must name its events as texts: event: ${value}`)
      return names
    }),
  )
}

/** `` `event` `saved` or `failed` ``, and the first column of tables of events; parentheses say when. */
function eventsDocumented(): readonly string[] {
  const text = textOf('docs/command-line-json.md').replaceAll(/ ?\([^()]*\)/g, '')
  const named = [...text.matchAll(/`event` (`\w+`(?: or `\w+`)*)/g)].map(([, names = '']) => names)
  const tables = [...text.matchAll(/^\| event \|.*\n\|[ -|]*\n((?:\|.*\n?)+)/gm)].map(([, rows = '']) => rows)
  const columns = tables.flatMap((rows) => rows.split('\n').map((row) => row.split('|')[1] ?? ''))
  return [...named, ...columns].flatMap((part) => [...part.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
}

/** Whether a range as in `engines` has this version: `^22.17.0 || >=24`, `18.x`. Throws for other forms. */
function takes(range: string, version: readonly number[]): boolean {
  return range.split('||').some((part) =>
    part
      .replaceAll(/([<>=^]) +/g, '$1')
      .trim()
      .split(/ +/)
      .every((word) => {
        if (word === '*') return true
        const [, sign = '', numbers = ''] = /^(\^|>=|<|)(\d[\d.x*]*)$/.exec(word) ?? []
        if (numbers === '') throw new Error(`cannot read ${range}`)
        const bound = numbers.split('.').map((number) => Number(number.replace(/[x*]/, '0')))
        const difference = bound.map((number, index) => (version[index] ?? 0) - number).find((step) => step !== 0) ?? 0
        if (sign === '<') return difference < 0
        return difference >= 0 && (sign === '>=' || version[0] === bound[0])
      }),
  )
}

describe('what documents promise', () => {
  it('is tested where SECURITY.md says', () => {
    const named = testsNamed()
    assert.ok(named.length > 50)
    const isThere = (test: string) => {
      const [folder = '', name = ''] = test.split('…')
      const ends = ['.test.ts', '.whole.test.ts'].map((end) => name + end)
      return files.some((file) => file.startsWith(folder) && ends.some((end) => file.endsWith(end)))
    }
    assert.deepEqual(
      named.filter((test) => !isThere(test)),
      [],
    )
  })

  it('can be run', () => {
    const scripts = new Set(Object.keys(JSON.parse(textOf('package.json')).scripts))
    const missing = files
      .filter((file) => file.endsWith('.md') && !file.startsWith('decisions/'))
      .flatMap((file) => [...textOf(file).matchAll(/`npm run ([\w:-]+)/g)].map(([, script = '']) => [file, script]))
      .filter(([, script = '']) => !scripts.has(script))
    assert.deepEqual(missing, [])
  })

  it('has each path of the service that documents name with its method', () => {
    const nameless = (path: string) => path.replaceAll(/[{<]\w+[}>]/g, '{}')
    const served = new Set(
      Object.values<Operation>(operations).map(({ method, path }) => `${method} ${nameless(path)}`),
    )
    const named = files
      .filter((file) => /^docs\/.*\.md$/.test(file))
      .flatMap((file) => [...textOf(file).matchAll(/`((?:GET|HEAD|POST|PUT|PATCH|DELETE) \/[^\s`?]*)/g)])
      .map(([, call = '']) => nameless(call))
    assert.ok(named.length > 10)
    assert.deepEqual(
      named.filter((call) => !served.has(call)),
      [],
    )
  })

  it('has each JSON event of the command line, and no other', () => {
    const inOrder = (names: readonly string[]) => [...new Set(names)].sort()
    assert.deepEqual(inOrder(eventsDocumented()), inOrder(eventsPrinted()))
  })

  it('has each word of the closed lists in the JSON of the command line', () => {
    const text = textOf('docs/command-line-json.md')
    const words = [...Object.keys(TROUBLES), ...LINK_REFUSALS, ...DELIVERY_FAULTS]
    assert.deepEqual(
      words.filter((word) => !text.includes(`\`${word}\``)),
      [],
    )
  })

  it('is installed without a warning by the oldest Node that README.md names', () => {
    const [, named = ''] = /Node (\d+\.\d+) or newer to install it/.exec(textOf('README.md')) ?? []
    const node = [...named.split('.').map(Number), 0]
    const locked: Readonly<Record<string, { readonly engines?: { readonly node?: string } }>> = JSON.parse(
      textOf('package-lock.json'),
    ).packages
    const refused = Object.entries(locked).filter(([, { engines }]) => !takes(engines?.node ?? '*', node))
    assert.deepEqual(refused, [])
  })

  for (const [file, figures] of Object.entries(FIGURES))
    it(`has the numbers of the code: ${file}`, () => {
      const text = textOf(file)
      assert.deepEqual(
        figures.filter((figure) => !text.includes(figure)),
        [],
      )
    })
})
