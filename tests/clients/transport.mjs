// How a client reaches the server: `stdio PROGRAM ARGS...` or `http URL TOKEN`.

export function transport([way, target, ...rest], Stdio, Http) {
  if (way === "stdio") {
    return new Stdio({ command: target, args: rest, stderr: "ignore" });
  }
  const headers = { Authorization: `Bearer ${rest[0]}` };
  return new Http(new URL(target), { requestInit: { headers } });
}
