export function idle(): i32 {
  return 0;
}
