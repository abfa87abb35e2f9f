// Where a single executable begins (`tools/program.ts`). Node's `require` there knows Node's own modules only, so this
// one adds the files of the bundle, each with its first use: to compile all takes longer than the rest of a start.
const { getAsset } = require('node:sea')
const { compileFunction } = require('node:vm')

const loaded = new Map()

function load(file) {
  const known = loaded.get(file)
  if (known !== undefined) return known.exports
  const module = { exports: {} }
  loaded.set(file, module)
  const run = compileFunction(getAsset(`code/${file}`, 'utf8'), ['module', 'exports', 'require'], { filename: file })
  run(module, module.exports, (id) => (id.startsWith('./') ? load(id.slice(2)) : require(id)))
  return module.exports
}

load('main.js')
