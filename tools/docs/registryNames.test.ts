import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { registryNames } from './registryNames.ts'

const PACKAGES = ['keep', 'keep-server', '@keep/client']

describe('the check of names in a registry', () => {
  for (const line of [
    'npx keep drop LINK',
    'Call `npx -y keep-server@latest`.',
    "'npx @keep/client'",
    'npm exec keep',
    'npm install --global keep-server keep    # or the files',
    'npm i @keep/client@^1.0.0',
    'npm install --prefix /opt/keep keep-server',
    '(`npm install keep`)',
    'yarn global add keep',
    'pnpm dlx keep',
    'https://www.npmjs.com/package/@keep/client',
  ])
    it(`finds: ${line}`, () => assert.equal(registryNames(`x\n${line}`, PACKAGES).length, 1))

  for (const line of [
    'npx --no-install keep drop LINK',
    'npx --no-install --quiet keep-server backup',
    'npx playwright-core install keep',
    'npm install --global ./keep-server-0.1.0.tgz',
    'npm install --prefix /opt/keep ./keep-server-*.tgz',
    'npm uninstall --global keep-server',
    'npm ci # then keep-server',
    'npm install; keep-server serve',
    'npx keeper',
  ])
    it(`passes: ${line}`, () => assert.deepEqual(registryNames(line, PACKAGES), []))

  it('names the line', () => assert.deepEqual(registryNames('a\n\nSay `npx keep ls`', PACKAGES), ['3: npx keep']))
})
