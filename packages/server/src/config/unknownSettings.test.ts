import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { SETTINGS } from './settings.ts'
import { settingsLines } from './settingsFile.ts'
import { type SettingSources, settingsIn } from './sources.ts'
import { unknownSettingLines, unknownSettings } from './unknownSettings.ts'

const given = (text: string, environment: Readonly<Record<string, string>> = {}): SettingSources => ({
  environment: { ...settingsIn(text), ...environment },
  origins: Object.fromEntries(Object.keys(settingsIn(text)).map((name) => [name, '/keep/.env'])),
  file: { path: '/keep/.env', text },
})
const inEnvironment = (...names: readonly string[]) =>
  unknownSettings({
    environment: Object.fromEntries(names.map((name) => [name, 'x'])),
    origins: {},
    file: undefined,
  }).map(({ name, nearest }) => [name, nearest])

describe('the lines of a file of settings', () => {
  it('have the names that Node reads from it', () => {
    const name = fc.stringMatching(/^[A-Z_]{1,3}$/)
    const value = fc.constantFrom(
      '',
      '1',
      '"',
      "'x",
      '"two words" more',
      "'a\n\nB=1'",
      '`a\n# b`',
      'x # y',
      'a=b',
      '\\"',
    )
    const setting = fc
      .tuple(fc.constantFrom('', 'export ', '  '), name, fc.constantFrom('=', ' = '), value)
      .map((parts) => parts.join(''))
    const line = fc.oneof(setting, fc.constantFrom('', '# A=1', '#"', 'NAME', 'NAME: 1', ' two words '))
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom('\n', '\r\n'), (lines, end) => {
        const text = lines.join(end)
        // Node keeps `export` in the name of an empty value, which counts as unset.
        const read = Object.keys(settingsIn(text)).map((each) => each.replace('export ', ''))
        const found = settingsLines(text).flatMap(({ name: each = [] }) => each)
        assert.deepEqual(new Set(found), new Set(read), JSON.stringify(text))
      }),
    )
  })

  it('have their numbers, after comments and values of several lines', () => {
    const text = '# first\n\nPORT=1\r\nMAIL_FROM="one\ntwo\nthree" # four\nexport HOST = ::1\nDATA_DIR\n=x\n'
    assert.deepEqual(
      settingsLines(text).map(({ number, name }) => [number, name]),
      [
        [3, 'PORT'],
        [4, 'MAIL_FROM'],
        [7, 'HOST'],
        [8, undefined],
        [9, undefined],
      ],
    )
  })
})

describe('unknown settings', () => {
  it('of a file are all names that are no settings and all lines without =, with the nearest setting', () => {
    assert.deepEqual(
      unknownSettingLines(
        given('PORT=1\nQUOTA_HARD_BYTE=10GB\nDOMAIN=keep.example\nFREE_SPACE_FLOOR_BYTES 1GB\nPROT=80\nhunter2\n'),
      ),
      [
        '/keep/.env, line 2: QUOTA_HARD_BYTE is no setting and does nothing. The nearest setting is QUOTA_HARD_BYTES.',
        '/keep/.env, line 3: DOMAIN is no setting and does nothing.',
        '/keep/.env, line 4: the line does nothing, because it is not NAME=value. The nearest setting is FREE_SPACE_FLOOR_BYTES.',
        '/keep/.env, line 5: PROT is no setting and does nothing. The nearest setting is PORT.',
        // What stands there may be a secret.
        '/keep/.env, line 6: the line does nothing, because it is not NAME=value.',
      ],
    )
  })

  it('of a file are also settings that a later line sets again', () => {
    assert.deepEqual(unknownSettingLines(given('PORT=1\nHOST=::1\nexport PORT=2\n# PORT=3\nPORT = 4\n')), [
      '/keep/.env, line 1: PORT does nothing, because line 5 sets it again.',
      '/keep/.env, line 3: PORT does nothing, because line 5 sets it again.',
    ])
  })

  it('of the environment are those that look like one of ours', () => {
    assert.deepEqual(inEnvironment('PUBLIC_ULR', 'QUOTA_BYTES', 'public_url', 'BLINDKEEP_PORT', 'TRUSTED_PROXY'), [
      ['PUBLIC_ULR', 'PUBLIC_URL'],
      ['QUOTA_BYTES', 'QUOTA_SOFT_BYTES'],
      ['public_url', 'PUBLIC_URL'],
      ['BLINDKEEP_PORT', 'PORT'],
      ['TRUSTED_PROXY', 'TRUST_PROXY'],
    ])
  })

  it('of the environment are neither settings nor variables of other programs', () => {
    const others =
      'HOME HOSTNAME PATH PWD SHELL SHLVL TERM USER LANG LC_ALL LOGNAME MAIL TZ TMPDIR EDITOR DISPLAY SESSION_MANAGER XDG_RUNTIME_DIR NODE_OPTIONS NODE_ENV npm_config_cache npm_lifecycle_event http_proxy no_proxy AWS_REGION AWS_PROFILE PGPASSWORD PGHOST NOTIFY_SOCKET INVOCATION_ID JOURNAL_STREAM MALLOC_ARENA_MAX BLINDKEEP_HOME BLINDKEEP_PASSWORD BLINDKEEP_INVITE BLINDKEEP_PROFILE'
    assert.deepEqual(inEnvironment(...others.split(' '), ...Object.values(SETTINGS).map(({ name }) => name)), [])
  })
})
