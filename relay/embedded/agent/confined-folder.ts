/**
 * Files below one folder, and nothing else: whatever path a model writes (`..`, absolute, through links, a link swapped in between the
 * look and the use), what is opened lies inside. The folder of a file is opened first, its real path checked, and the file opened
 * through that very folder where the system allows it; a link as the last step is never followed.
 */
import { closeSync, constants, existsSync, fstatSync, fsyncSync, lstatSync, mkdirSync, openSync, readSync, realpathSync, renameSync, rmSync, writeSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'

/** Largest file that is read or written, in bytes. */
export const FILE_BYTES_MAX = 2 * 1_024 * 1_024
/** Longest path that a model may name, in UTF-16 units. */
export const PATH_CHARS_MAX = 1_024
/** Folders that one write may make. */
export const NEW_FOLDERS_MAX = 16

/** Told to the model as it stands. */
export class FileRefused extends Error {}

const outside = (): FileRefused => new FileRefused('That path is outside the workspace. Only files inside it can be used.')

export type ConfinedFolder = {
  /** The real path of the folder. */
  readonly root: string
  read(path: string): Buffer
  /** Replaces the file as a whole, or makes it. */
  write(path: string, bytes: Buffer, tempName: string): void
  /** Like `read`; `null` when there is no such file. */
  readIfAny(path: string): Buffer | null
}

/** For tests. `checked` runs between the look and the use: a link is swapped in there. `isAnchored: false`: as on a system without /proc. */
export type FolderHooks = { checked?(): void; isAnchored?: boolean }

/** Makes the folder, for its owner only. */
export function openConfinedFolder(folder: string, hooks: FolderHooks = {}): ConfinedFolder {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const root = realpathSync(folder)
  const read = (path: string): Buffer => inParent(root, wanted(root, path), hooks, (at) => readFile(at))
  return {
    root, read,
    readIfAny(path) {
      try {
        return read(path)
      } catch (error) {
        if (error instanceof FileRefused && error.message === ABSENT) return null
        throw error
      }
    },
    write(path, bytes, tempName) {
      if (bytes.length > FILE_BYTES_MAX) throw new FileRefused(`At most ${FILE_BYTES_MAX} bytes can be written at once.`)
      const full = wanted(root, path)
      makeParents(root, dirname(full))
      inParent(root, full, hooks, (at) => replaceFile(at, join(dirname(at), tempName), bytes))
    },
  }
}

const ABSENT = 'There is no such file.'
const isInside = (root: string, path: string): boolean => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)

/** The path as written, below the folder by its words; what links make of it is checked later. */
function wanted(root: string, path: string): string {
  if (path === '' || path.includes('\0') || path.length > PATH_CHARS_MAX) throw new FileRefused('That is not a path.')
  const full = resolve(root, path)
  if (full === root) throw new FileRefused('That is a folder, not a file.')
  if (!isInside(root, full)) throw outside()
  if (/[\\/]$/.test(path)) throw new FileRefused('That is a folder, not a file.')
  return full
}

/** Runs `use` with a path of the file that cannot be led elsewhere any more, as far as the system allows. */
function inParent<Result>(root: string, full: string, hooks: FolderHooks, use: (at: string) => Result): Result {
  const parent = real(dirname(full))
  if (!isInside(root, parent)) throw outside()
  hooks.checked?.()
  const fd = tellingWhy(() => openSync(parent, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW))
  try {
    const anchor = `/proc/self/fd/${fd}`
    if (hooks.isAnchored !== false && existsSync(anchor)) {
      if (!isInside(root, realpathSync(anchor))) throw outside()
      return use(join(anchor, basename(full))) // Through the folder that was checked, wherever its name leads by now.
    }
    const opened = fstatSync(fd)
    const now = lstatSync(realpathSync(parent))
    if (realpathSync(parent) !== parent || now.ino !== opened.ino || now.dev !== opened.dev) throw outside()
    return use(join(parent, basename(full)))
  } finally {
    closeSync(fd)
  }
}

function readFile(at: string): Buffer {
  // Not blocking: a pipe that nobody writes to would wait for ever.
  const fd = tellingWhy(() => openSync(at, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK))
  try {
    const stat = fstatSync(fd)
    if (stat.isDirectory()) throw new FileRefused('That is a folder, not a file.')
    if (!stat.isFile()) throw new FileRefused('That is not an ordinary file.')
    if (stat.size > FILE_BYTES_MAX) throw new FileRefused(`That file has ${stat.size} bytes; at most ${FILE_BYTES_MAX} are read. Use the terminal to look at a part of it.`)
    const bytes = Buffer.alloc(FILE_BYTES_MAX + 1)
    let length = 0
    for (let got = -1; got !== 0 && length < bytes.length; length += got) got = readSync(fd, bytes, length, bytes.length - length, null)
    if (length > FILE_BYTES_MAX) throw new FileRefused(`That file is longer than ${FILE_BYTES_MAX} bytes.`)
    return bytes.subarray(0, length)
  } finally {
    closeSync(fd)
  }
}

/** Whole or not at all: a new file beside it takes its name. So neither a link nor a second name of the old file is written through. */
function replaceFile(at: string, temp: string, bytes: Buffer): void {
  const old = lstatIfAny(at)
  if (old?.isDirectory()) throw new FileRefused('That is a folder, not a file.')
  if (old?.isSymbolicLink()) throw new FileRefused('That is a link; links are not followed.')
  if (old && !old.isFile()) throw new FileRefused('That is not an ordinary file.')
  const fd = tellingWhy(() => openSync(temp, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, old ? old.mode & 0o777 : 0o644))
  try {
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done)
    fsyncSync(fd)
    renameSync(temp, at)
  } catch (error) {
    rmSync(temp, { force: true })
    throw error
  } finally {
    closeSync(fd)
  }
}

/** The deepest folder that exists must really be inside; what is missing below it is made one by one. */
function makeParents(root: string, folder: string): void {
  const missing: string[] = []
  let at = folder
  while (lstatIfAny(at) === null && isInside(root, at) && at !== root) {
    missing.unshift(basename(at))
    at = dirname(at)
    if (missing.length > NEW_FOLDERS_MAX) throw new FileRefused('That path is too deep.')
  }
  let parent = real(at)
  if (!isInside(root, parent)) throw outside()
  for (const name of missing) {
    parent = join(parent, name)
    tellingWhy(() => mkdirSync(parent, { mode: 0o755 }))
    if (!isInside(root, real(parent))) throw outside()
  }
}

function lstatIfAny(path: string) {
  try {
    return lstatSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw refusalOf(error)
  }
}

const real = (path: string): string => tellingWhy(() => realpathSync(path))

function tellingWhy<Result>(run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    throw refusalOf(error)
  }
}

function refusalOf(error: unknown): unknown {
  switch ((error as NodeJS.ErrnoException | null)?.code) {
    case 'ENOENT': return new FileRefused(ABSENT)
    case 'ELOOP': case 'EMLINK': return new FileRefused('That is a link; links are not followed.')
    case 'ENOTDIR': return new FileRefused('A part of that path is not a folder.')
    case 'EISDIR': return new FileRefused('That is a folder, not a file.')
    case 'EACCES': case 'EPERM': return new FileRefused('The system does not allow that.')
    case 'ENXIO': case 'ENODEV': return new FileRefused('That is not an ordinary file.')
    case 'ENAMETOOLONG': return new FileRefused('That name is too long.')
    case 'ENOSPC': case 'EDQUOT': return new FileRefused('The disk is full.')
    default: return error
  }
}

/** The path below the folder, as it is shown. */
export const shownPath = (root: string, path: string): string => {
  const below = relative(root, resolve(root, path))
  return below === '' || below.startsWith('..') || isAbsolute(below) ? path : below
}
