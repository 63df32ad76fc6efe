/** Lines by which the server names pictures in a user's row (contract api-server.md 10.6). Pure. */

export const DIRECTIVE_TEXT_MAX = 256 * 1_024
export const DIRECTIVE_PATH_MAX = 2_048
/** Pictures of one message; further lines go, and name none. */
export const DIRECTIVE_IMAGES_MAX = 8

const LINE = /^@image:(?:`([^`]+)`|"([^"]+)"|'([^']+)'|([^\s`"']+))$/
const PICTURE = /^(?:\/|[A-Za-z]:[\\/]).*\.(?:avif|bmp|gif|heic|heif|jpe?g|png|webp)$/i

export function readImageDirectives(text: string): { text: string; images: readonly string[] } {
  if (text.length > DIRECTIVE_TEXT_MAX || !text.includes('@image:')) return { text, images: [] }
  const images: string[] = []
  const kept = text.split('\n').filter((line) => {
    const [, ...paths] = LINE.exec(line.trim()) ?? []
    const path = paths.find((one) => one !== undefined)
    if (path === undefined || path.length > DIRECTIVE_PATH_MAX || !PICTURE.test(path)) return true
    if (images.length < DIRECTIVE_IMAGES_MAX) images.push(path)
    return false
  })
  return { text: kept.join('\n'), images }
}
