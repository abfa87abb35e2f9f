/**
 * Finds words in comments, texts and documents that a tired reader has to read twice, and comments wider than a line:
 * `node tools/words.ts [path …]`. Ends with 1 when there are any. Each word stands with what to write instead.
 * Code itself is searched for one call only: the compiler and the glossary of ARCHITECTURE.md keep its names.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { argumentsOf } from './arguments.ts'
import { projectFiles, ROOT } from './projectFiles.ts'

const INSTEAD: readonly (readonly [RegExp, string])[] = [
  [/\bwho(m|so)?ever\b/gi, 'the noun: the caller, the owner, the guest, any client'],
  [/\b(some|no)(body|one)\b/gi, 'the noun: a client, another account, no owner'],
  [/\b(is|are|was|were|be|been|being|it|them|one|gets?) told\b/gi, 'is given, is reported, is listed, learns'],
  [/\bdoom(s|ed|ing)?\b/gi, 'deleting'],
  [/\bunowned\b/gi, 'orphaned'],
  [/\bmade[- ]up\b/gi, 'decoy'],
  [/\b(has|have|had|is|are|was) gone\b/gi, 'is deleted, has disconnected, no longer exists'],
  [/\bdice\b/gi, 'random'],
  [/\bdepart(ed|ure|ures|s)?\b/gi, 'account deletion'],
  [/\bin vain\b/gi, 'without success'],
  [/\banew\b/gi, 'again'],
  [/\bat the most\b/gi, 'at most'],
  [/\blets? go of\b/gi, 'releases, deletes'],
  [/\bfor ever\b/gi, 'permanently, without a bound'],
]

/** What holds the list itself, or what others wrote. */
const EXCEPT = /^(tools\/words\.ts|LICENSE|package-lock\.json|vectors\/[\w-]+\.json|packages\/web\/src\/text\/de\/)/
const CODE = /\.(ts|tsx|mjs|css)$/
/** Of other languages, the lines that are comments. */
const SCRIPT = /(\.(ya?ml|conf|sh|service|timer|env|py|go)|[Cc]addyfile|Dockerfile)$/
const PROSE = /\.md$/
const MAX_COLUMNS = 120
/** RFC 3339 has leap seconds, and `Date.parse` takes what it does not. As a plugin of the linter this takes a second. */
const DATE_PARSE = /\bDate\s*\.\s*parse\b/g
const IN_PACKAGES = /^packages\/[^/]+\/src\/(?!.*\.test\.tsx?$|(?:.*\/)?testing\/)/
const READERS_OF_INSTANTS =
  /^packages\/(protocol\/src\/ids|client\/src\/http\/serverClock|server\/src\/adapters\/s3\/[^/]*)\.ts$/
/** Comments of which a tool reads one line. */
const ONE_LINE = /^\s*(\/\/|\{?\/\*)\s*(biome-ignore |Covers: )/

const { positionals: paths } = argumentsOf(
  'node tools/words.ts [path …]',
  {},
  { maxPositionals: Number.POSITIVE_INFINITY },
)
const files = projectFiles(paths).filter(
  (file) => !EXCEPT.test(file) && [CODE, SCRIPT, PROSE].some((kind) => kind.test(file)),
)

let found = 0
for (const file of files) {
  const text = readFileSync(join(ROOT, file), 'utf8')
  for (const line of PROSE.test(file) ? [] : tooWide(text, tokensOf(file))) {
    found += 1
    console.log(`${file}:${line}: more than ${MAX_COLUMNS} columns: wrap the comment, or say less`)
  }
  if (IN_PACKAGES.test(file) && !READERS_OF_INSTANTS.test(file))
    for (const { index } of text.matchAll(DATE_PARSE)) {
      found += 1
      console.log(`${file}:${lineAt(text, index)}: read instants with \`parseInstant\` or \`millisecondsOf\``)
    }
  for (const [start, piece] of PROSE.test(file) ? [[0, text] as const] : proseOf(text, tokensOf(file))) {
    for (const [word, instead] of INSTEAD) {
      for (const { 0: hit, index } of piece.matchAll(word)) {
        found += 1
        console.log(`${file}:${lineAt(text, start + index)}: "${hit}": ${instead}`)
      }
    }
  }
}
if (found > 0) console.log(`${found} found`)
process.exitCode = found > 0 ? 1 : 0

function isComment(token: string): boolean {
  return /^[/#]/.test(token)
}

/** Comments, and in our code quoted texts. */
function tokensOf(file: string): RegExp {
  return SCRIPT.test(file)
    ? /(?<=^[ \t]*)(#|\/\/).*/gm
    : /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g
}

/** Comments and quoted texts with a space in them, with where each begins. */
function proseOf(code: string, tokens: RegExp): readonly (readonly [number, string])[] {
  return [...code.matchAll(tokens)]
    .filter(({ 0: token }) => isComment(token) || token.includes(' '))
    .map(({ 0: token, index }) => [index, token] as const)
}

/** The numbers of lines with a comment that are too wide. */
function tooWide(code: string, tokens: RegExp): readonly number[] {
  const lines = code.split('\n')
  const commented = proseOf(code, tokens).flatMap(([start, token]) => {
    const first = lineAt(code, start)
    return isComment(token) ? token.split('\n').map((_, index) => first + index) : []
  })
  return [...new Set(commented)].filter((number) => {
    const line = lines[number - 1] ?? ''
    return [...line].length > MAX_COLUMNS && !ONE_LINE.test(line)
  })
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}
