import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { forPerson, hintsOf } from './hints.ts'

const PACKAGE = '/usr/lib/node_modules/blindkeep-server/dist'
const CHECKOUT = '/home/me/keep/packages/server/dist'
const TEXT = 'Run `blindkeep-server hold add <hash>`, or `blindkeep-server <command> --help`, not `npm start`.'

interface From {
  readonly path?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly codeDirectory?: string
}
const hint = (typed: readonly string[], from: From = {}) => {
  const { path = '/usr/bin/blindkeep-server', environment = {}, codeDirectory = PACKAGE } = from
  const run = { argv: ['/usr/bin/node', path, ...typed], environment: { PATH: '/bin:/usr/bin', ...environment } }
  return hintsOf({ ...run, codeDirectory })(TEXT)
}
const typedAs = (program: string, options = '') =>
  `Run \`${program} hold add <hash>${options}\`, or \`${program} <command> --help\`, not \`npm start\`.`

describe('a hint', () => {
  it('names the program that the person runs', () => {
    assert.equal(hint([]), typedAs('blindkeep-server'))
    const npx = { environment: { npm_lifecycle_event: 'npx' }, path: '/keep/node_modules/.bin/blindkeep-server' }
    assert.equal(hint([], npx), typedAs('npx --no-install blindkeep-server'))
    const npm = { environment: { npm_lifecycle_event: 'start' }, path: `${CHECKOUT}/main.js`, codeDirectory: CHECKOUT }
    assert.equal(hint([], npm), typedAs('npx --no-install blindkeep-server'))
    assert.equal(
      hint([], { path: `${CHECKOUT}/main.js`, codeDirectory: CHECKOUT }),
      typedAs('npx --no-install blindkeep-server'),
    )
    assert.equal(hint([], { path: `${PACKAGE}/../bin.mjs` }), typedAs('blindkeep-server'))
    // As a unit of systemd runs it, where PATH does not lead there.
    const unit = '/opt/keep/node_modules/.bin/blindkeep-server'
    assert.equal(hint([], { path: unit }), typedAs(unit))
  })

  it('moves no cursor, whatever an owner or a guest has written', () => {
    assert.equal(forPerson('a\u001b[31mb\u009b2J\n\u202Efdp.exe'), 'a\uFFFD[31mb\uFFFD2J\n\uFFFDfdp.exe')
  })

  it('keeps the options that say which server is meant, as a shell reads them', () => {
    const typed = ['account', 'list', '--data', "/srv/a b's", '--json', '--config=keep.conf', '--days', '7']
    assert.equal(hint(typed), typedAs('blindkeep-server', " --config keep.conf --data '/srv/a b'\\''s'"))
    assert.equal(hint(['--port', '9000']), typedAs('blindkeep-server'))
    // A wrong call has hints, too.
    assert.equal(hint(['fsck', '--data']), typedAs('blindkeep-server'))
  })
})
