/** Sizes as people read them: "0.4 MB", "12 MB", "3.1 GB". */
export const megabytes = (bytes: number): string => {
  const [value, unit] = bytes >= 1e9 ? [bytes / 1e9, 'GB'] : [bytes / 1e6, 'MB']
  return `${value >= 10 ? Math.round(value) : value.toFixed(1)} ${unit}`
}
