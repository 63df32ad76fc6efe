/** Bytes that base64 text stands for, without decoding it; white space does not count (contract gateway.md 6.4). */
export function decodedSize(base64: string): number {
  let symbols = 0
  for (let at = 0; at < base64.length; at += 1) {
    const code = base64.charCodeAt(at)
    if (code === 0x3d) break // Padding ends it.
    if (code > 0x20) symbols += 1
  }
  return Math.floor((symbols * 3) / 4)
}
