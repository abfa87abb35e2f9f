import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { floorFaults, floorsIn } from './floors.ts'

const DRAWN = 'top · .  the rest\nmiddle\n\nground   what all use\n'

function faultsOf(files: Readonly<Record<string, string>>): readonly string[] {
  const floors = floorsIn('text floors a/src', DRAWN)
  assert.ok(floors !== undefined)
  const house = {
    'a/src/top/t.ts': '',
    'a/src/main.ts': '',
    'a/src/middle/m.ts': '',
    'a/src/ground/g.ts': '',
    ...files,
  }
  return [...floorFaults(floors, Object.keys(house), (file) => house[file as keyof typeof house])]
}

describe('the check of floors', () => {
  it('reads only what is drawn as floors', () => {
    assert.deepEqual(floorsIn('text floors a/src', DRAWN)?.floors, [['top', '.'], ['middle'], ['ground']])
    assert.equal(floorsIn('text', DRAWN), undefined)
  })

  it('accepts imports of the own room, of lower floors and from elsewhere, and what tests import', () => {
    const imports = [
      "import type { A } from '../middle/m.ts'",
      "export * from './b.ts'",
      "import {\n  G,\n} from '../ground/g.ts'",
      "import { E } from '../../../b/src/e.ts'",
    ]
    assert.deepEqual(faultsOf({ 'a/src/top/t.ts': imports.join('\n') }), [])
    const above = "import { T } from '../top/t.ts'"
    assert.deepEqual(faultsOf({ 'a/src/ground/g.test.ts': above, 'a/src/ground/testing/x.ts': above }), [])
  })

  it('names an import that leads upwards or along, a type and a call among them', () => {
    for (const [file, statement, expected] of [
      ['a/src/ground/g.ts', "import type { M } from '../middle/m.ts'", 'ground may not import from middle'],
      ['a/src/ground/g.ts', "await import('../middle/m.ts')", 'ground may not import from middle'],
      ['a/src/middle/m.ts', "export {\n  T,\n} from '../top/t.ts'", 'middle may not import from top'],
      ['a/src/top/t.ts', "import { main } from '../main.ts'", 'top may not import from .'],
    ] as const)
      assert.deepEqual(faultsOf({ [file]: statement }), [`${file}: ${expected}, which is not below it`])
  })

  it('names a room that is not drawn, and a drawn one that is not there', () => {
    assert.deepEqual(faultsOf({ 'a/src/attic/x.ts': '' }), ['a/src: attic has no floor in ARCHITECTURE.md'])
    const floors = floorsIn('text floors a/src', 'cellar\n. · .')
    assert.ok(floors !== undefined)
    assert.deepEqual(
      [...floorFaults(floors, ['a/src/main.ts'], () => '')],
      ['a/src: a room stands on two floors', 'a/src: cellar has a floor, but no file'],
    )
  })
})
