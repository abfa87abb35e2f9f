/** The script for bash, in a real bash. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))
const scriptOf = (shell: string) =>
  execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, 'completion', shell], {
    encoding: 'utf8',
  })
const hasBash = spawnSync('bash', ['--version']).status === 0

/** What bash offers for the last of these words. `files` if it offers files. */
const OFFER = `
offer() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  compopt() { isWithout=yes; }
  isWithout=
  _blindkeep
  if [[ -z $isWithout && \${#COMPREPLY[@]} -eq 0 ]]; then echo files; else echo "\${COMPREPLY[*]}"; fi
}
`

function offers(lines: readonly string[]): readonly string[] {
  const calls = lines.map((line) => `offer blindkeep ${line}`).join('\n')
  const out = execFileSync('bash', ['--norc', '-u'], {
    input: `${scriptOf('bash')}${OFFER}${calls}\n`,
    encoding: 'utf8',
  })
  return out.split('\n')
}

describe('the completion for bash', { skip: hasBash ? false : 'this machine has no bash' }, () => {
  it('offers commands, flags, words and files where each may stand', () => {
    const expected: Readonly<Record<string, string>> = {
      li: 'link',
      'link ""': 'create list show edit revoke',
      'link cr': 'create',
      'link create --ex': '--expires',
      'link create --expires ""': '',
      'link create --expires 7d --o': '--once',
      'link create --label list --o': '--once',
      'link create --passphrase-file ""': 'files',
      'link create --passphrase-file = x': 'files',
      'link create --passphrase-file =': 'files',
      'link create --passphrase --o': '--once',
      '--profile link al': 'album',
      '--json li': 'link',
      'link list --js': '--json',
      'drop x ""': 'files',
      'completion ""': 'bash zsh fish',
      'inbox keep --ba': '--batch',
      'share create ""': '',
    }
    const found = offers(Object.keys(expected))
    assert.deepEqual(Object.fromEntries(Object.keys(expected).map((line, index) => [line, found[index]])), expected)
  })
})
