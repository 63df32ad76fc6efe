/** The processes below one of ours that left its group (Hermes gives its workers sessions of their own), and their end. */
import { execFileSync } from 'node:child_process'

const LIST_WITHIN_MS = 3_000
/** Which process: a number may be another one's by now, number and birth are not. */
export type Born = { pid: number; parent: number; bornAt: string }

const list = (): Born[] => execFileSync('ps', ['-eo', 'pid=,ppid=,lstart='], { encoding: 'utf8', timeout: LIST_WITHIN_MS, maxBuffer: 16 * 1_024 * 1_024, env: { ...process.env, LC_ALL: 'C' } }).split('\n').flatMap((line) => {
  const [, pid, parent, bornAt] = /^\s*(\d+)\s+(\d+)\s+(\S.*?)\s*$/.exec(line) ?? []
  return bornAt === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), bornAt }]
})

/** Nothing where there is no `ps`: then its workers notice by themselves, a little later, that it is gone. */
export function descendantsOf(pid: number, all: () => readonly Born[] = list): Born[] {
  try {
    const found = new Map<number, Born>()
    const processes = all()
    for (let before = -1; before !== found.size;) {
      before = found.size
      for (const one of processes) if (one.parent === pid || found.has(one.parent)) found.set(one.pid, one)
    }
    return [...found.values()]
  } catch {
    return []
  }
}

export function endThose(wanted: readonly Born[], all: () => readonly Born[] = list, kill: (pid: number) => void = (pid) => void process.kill(pid, 'SIGKILL')): void {
  if (wanted.length === 0) return
  try {
    for (const { pid, bornAt } of all()) if (wanted.some((one) => one.pid === pid && one.bornAt === bornAt)) kill(pid)
  } catch {
    // Gone between the look and the end.
  }
}
