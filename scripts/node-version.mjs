/** The oldest Node that runs this, and one clear line for an older one. */
export const NODE_OLDEST = [20, 19]

export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > NODE_OLDEST[0] || (major === NODE_OLDEST[0] && minor >= NODE_OLDEST[1])
}

export function refuseOldNode(version = process.versions.node) {
  if (isNewEnough(version)) return
  process.stderr.write(`Hermes Relay needs Node ${NODE_OLDEST.join('.')} or newer; this is ${version}.\n`)
  process.exit(1)
}
