-- What the keys of causes stand for.
SELECT signature, title, function, file, line, call, called, near, frames, version
FROM signatures FINAL
WHERE service = {service:String} AND has({signatures:Array(String)}, signature)
