/** A lock between processes for work in this tree: a folder that says who works. Whoever finds the dead there takes over; waiting has a bound. */
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A first installation over a slow line takes minutes. */
export const WAIT_MS_MAX = 15 * 60_000
const LOOK_EVERY_MS = 200
const SAY_EVERY_MS = 10_000

/** The bound was reached; the message is for people. */
export class StillBusy extends Error {}

/**
 * Runs `work` while no other process runs it. `work` is told how to name a child that must not be left to itself: it counts as the holder too.
 * @throws StillBusy
 */
export async function oneAtATime({ lock, what, waitMs = WAIT_MS_MAX, say = (line) => process.stderr.write(`${line}\n`) }, work) {
  const mine = `${lock}.${randomUUID()}`
  mkdirSync(mine, { recursive: true })
  try {
    writeFileSync(join(mine, 'pid'), String(process.pid))
    writeFileSync(join(mine, 'id'), randomUUID())
    await take({ lock, mine, what, waitMs, say })
  } catch (error) {
    rmSync(mine, { recursive: true, force: true })
    throw error
  }
  try {
    return await work((pid) => writeFileSync(join(lock, 'child'), String(pid)))
  } finally {
    renameSync(lock, mine) // In one step: nobody finds it half empty.
    rmSync(mine, { recursive: true, force: true })
  }
}

async function take({ lock, mine, what, waitMs, say }) {
  const startedMs = Date.now()
  let saidMs = Number.NEGATIVE_INFINITY
  for (;;) {
    if (moveOnto(mine, lock)) return
    const holder = readHolder(lock)
    if (holder && !holder.pids.some(isAlive)) {
      // The first who moves it to this name wins: a folder with something in it is never replaced. So it stays there, as one small file.
      if (moveOnto(lock, join(dirname(lock), `ended-${holder.id}`))) {
        say(`Process ${holder.pids[0]} ended while it was ${what}; this one begins anew.`)
        continue
      }
    }
    const nowMs = Date.now()
    const by = holder ? `Process ${holder.pids[0]}` : 'Another process'
    if (nowMs - startedMs >= waitMs) throw new StillBusy(`${by} is still ${what} after ${Math.round(waitMs / 1_000)} s. Let it finish, or end it and delete ${lock}; then try again.`)
    if (nowMs - saidMs >= SAY_EVERY_MS) {
      say(`${by} is ${what}; waiting for it (${Math.round((nowMs - startedMs) / 1_000)} s) ...`)
      saidMs = nowMs
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}

/** Whether the folder is there now. Not when another one is, or when somebody moved it away before. */
function moveOnto(from, to) {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(error.code) || (process.platform === 'win32' && ['EPERM', 'EACCES'].includes(error.code))) return false
    throw error
  }
}

/** Who holds it, and the child that works for it; null while it changes hands. */
function readHolder(lock) {
  const read = (name) => readFileSync(join(lock, name), 'utf8')
  try {
    return { id: read('id'), pids: [Number(read('pid')), ...(existsSync(join(lock, 'child')) ? [Number(read('child'))] : [])] }
  } catch {
    return null
  }
}

/** Its own number on the lock is from an earlier life: in a container every start may get the same one. */
function isAlive(pid) {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return !isUnburied(pid)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Dead, and nobody has looked yet: in a container whose first process buries no strangers it stays so. */
function isUnburied(pid) {
  const path = `/proc/${pid}/status`
  return existsSync(path) && /^State:\s+Z/m.test(readFileSync(path, 'utf8'))
}
