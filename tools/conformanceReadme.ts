import { readFile, writeFile } from 'node:fs/promises'
import { SPECIFICATION } from '../conformance/clauses.ts'
import { OWN_RULES } from '../conformance/ownRules.ts'
import { type TestGroup, testGroups } from '../conformance/suite.ts'
import { UNTESTABLE_STATUSES } from '../conformance/untestableStatuses.ts'
import { argumentsOf } from './arguments.ts'

/**
 * Writes conformance/README.md from the titles of the tests and from the lists of clauses, rules and statuses; with
 * `--check`, fails when the committed file differs. Fails in both cases when a clause has neither a test nor a reason,
 * a test names an unknown clause, or a name occurs twice.
 */
const FILE = new URL('../conformance/README.md', import.meta.url)

const INTRODUCTION = `# Conformance

This suite is a black box: it speaks HTTP to a server and shares no code with it, so it can test any server of the interface.

\`\`\`sh
npm run conformance                            # starts the server of this repository, and more servers with other settings
npm run conformance -- --on postgres           # each of them on PostgreSQL and files
npm run conformance -- --on postgres+s3        # each on PostgreSQL and an object store
npm run conformance -- --nodes 2               # each of two nodes on these, behind a proxy that gives every request to the other one
npm run conformance -- --nodes 2 chunks races  # two files only
npm run conformance -- http://127.0.0.1:8080   # tests that server; skips the tests that need a server of their own
node --test conformance/chunks.test.ts         # one file, which starts its own server
\`\`\`

A server that you test has to accept registrations. The suite leaves accounts behind. One file takes a few seconds:

\`\`\`sh run
npm run conformance -- http://127.0.0.1:8080 discovery
\`\`\`

- \`client.ts\` sends every request, and \`judge.ts\` checks every answer against \`/openapi.json\`: its status is declared, its body fits the schema
  (nothing stripped or coerced), and problems and headers have their common form.
- \`run.ts\` records the statuses that the tests meet. The run fails when a declared status is neither met nor listed below as untestable.
- \`receiptReader.ts\`, \`receiptWriter.ts\` and \`provenanceWriter.ts\` are written from the formats alone, with another CBOR library than the server's.
- \`matrix.ts\` states for every operation what each kind of caller is answered, and \`secrets.ts\` for every member whether it is a secret. A new
  operation needs an entry in both, and a request in \`matrixCalls.ts\`.
- \`clauses.ts\` lists the clauses of the specification, and \`ownRules.ts\` the sections of the project’s own rules. Each \`describe\` names
  in its \`Covers:\` comment what it tests.

\`npm run make:conformance\` writes this file from these lists and the titles of the tests.
`

const { values } = argumentsOf('npm run make:conformance [-- --check]', { check: { type: 'boolean', default: false } })
const groups = testGroups()
const faults = faultsOf(groups)
const made = [INTRODUCTION, ...specification(), ...ownRules(), ...statuses(), ...tests()].join('\n')

if (faults.length > 0) {
  console.error(faults.join('\n'))
  process.exitCode = 1
} else if (!values.check) {
  await writeFile(FILE, made)
} else if ((await readFile(FILE, 'utf8')) !== made) {
  console.error('conformance/README.md does not match the tests. Run `npm run make:conformance` and commit the result.')
  process.exitCode = 1
}

function specification(): readonly string[] {
  const sections = SPECIFICATION.flatMap(({ title, clauses }) => [
    `### ${title}\n`,
    '| clause | says | tested by |',
    '| --- | --- | --- |',
    ...clauses.map(
      ([name, says, untestable]) =>
        `| ${name} | ${says} | ${untestable === undefined ? groupsFor(name) : `not testable: ${untestable}`} |`,
    ),
    '',
  ])
  return ['## The specification\n', ...sections]
}

function ownRules(): readonly string[] {
  const rows = OWN_RULES.map(
    ({ title, statedIn }) => `| ${title}${statedIn === '' ? '' : ` (${statedIn})`} | ${groupsFor(title)} |`,
  )
  const reasons = OWN_RULES.flatMap(({ untestable }) => untestable.map(([rule, reason]) => `- _${rule}_: ${reason}.`))
  const table = ['| section | tested by |', '| --- | --- |', ...rows]
  return ["## The project's own rules\n", ...table, '', 'Not testable from outside:\n', ...reasons, '']
}

function statuses(): readonly string[] {
  const reasons = UNTESTABLE_STATUSES.map(
    ({ status, operations, reason }) => `- _${status} of ${operations}_: ${reason}.`,
  )
  return ['## Statuses that no request causes\n', ...reasons, '']
}

function tests(): readonly string[] {
  const files = [...new Set(groups.map(({ file }) => file))]
  const sections = files.flatMap((file) => [
    `### ${file}.test.ts\n`,
    ...groups.filter((group) => group.file === file).flatMap(lines),
  ])
  return ['## The tests\n', ...sections]
}

function lines({ title, tests }: TestGroup): readonly string[] {
  return [`**${title}**\n`, ...tests.map((name) => `- ${name}`), '']
}

function groupsFor(name: string): string {
  return groups
    .filter(({ covers }) => covers.includes(name))
    .map(({ file, title }) => `${file} › ${title}`)
    .join('<br>')
}

function faultsOf(groups: readonly TestGroup[]): readonly string[] {
  const clauses = SPECIFICATION.flatMap((section) => section.clauses)
  const tested = [
    ...clauses.filter(([, , untestable]) => untestable === undefined).map(([name]) => name),
    ...OWN_RULES.map(({ title }) => title),
  ]
  const untestable = clauses.filter(([, , reason]) => reason !== undefined).map(([name]) => name)
  const covered = new Set(groups.flatMap(({ covers }) => covers))
  const titles = groups.flatMap(({ file, title, tests }) => tests.map((name) => `${file}: ${title} ${name}`))
  return [
    ...tested.filter((name) => !covered.has(name)).map((name) => `no test covers ${name}`),
    ...[...covered]
      .filter((name) => !tested.includes(name))
      .map((name) => `a test covers ${name}, which is not a testable clause or a section of rules`),
    ...twice([...tested, ...untestable]).map((name) => `${name} is listed twice`),
    ...twice(titles).map((name) => `two tests have the title ${name}`),
  ]
}

function twice(names: readonly string[]): readonly string[] {
  return names.filter((name, index) => names.indexOf(name) !== index)
}
