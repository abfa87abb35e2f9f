/**
 * Imported first, and alone: what else a program imports may not exist in an old Node, and would end it with a stack.
 * Before 22.13 `node:sqlite` needs a flag.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 13)) {
  // Only a checkout has a Node of its own.
  const isInstalled = /[\\/]node_modules[\\/]blindkeep-server[\\/]/.test(import.meta.url)
  const next = isInstalled
    ? 'Install a newer one, from https://nodejs.org or from your system.'
    : 'In its own directory `npm start` and `npx --no-install blindkeep-server` take the right one.'
  console.error(
    `Blindkeep needs Node.js 22.13 or newer; this is ${process.versions.node}, at ${process.execPath}. ${next}`,
  )
  process.exit(1)
}
