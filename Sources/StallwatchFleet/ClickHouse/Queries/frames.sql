-- The functions of stacks, root first.
SELECT stack, frames
FROM stacks FINAL
WHERE service = {service:String} AND has({stacks:Array(UInt64)}, stack)
