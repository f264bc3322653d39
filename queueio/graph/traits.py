"""What is known of op types, one row for each: what an op does besides computing its outputs.

TensorFlow says of an op only that it is "stateful", which holds for a variable's read, for a
random number and for an op that deletes files. Here is what it means for each of them. A fact
about an op type that two layers need is a column of this table; `traits_of` reads a row.

How an op runs on a chunk and how it is spelled in source are other facts: rules and spellings.
A type that the package names has a row. One that is not in the table computes its outputs from its
inputs and nothing else, unless TensorFlow registers it as stateful: then it is not known, and
`traits_of` says so.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from tensorflow.python.framework import op_def_registry  # no public spelling


class Effect(enum.Enum):
    """What an op does to the world outside of its session, in words that follow "it"."""

    PRINTS = "prints"
    WRITES_FILES = "writes, renames or deletes files"
    RUNS_PYTHON = "runs a Python function"
    RUNS_CODE = "runs compiled code that it brings along"
    CONNECTS = "connects to other processes or devices"
    ENDS_PROCESS = "ends the process"
    UNKNOWN = "may do anything: queueio does not know this type of op"


class State(enum.Enum):
    """What an op does to what its session remembers from one run to the next."""

    NONE = "nothing"
    MAKES = "makes the handle of it"
    READS = "reads it through a handle"
    WRITES = "changes it through a handle"
    OWN = "keeps it in the op itself: a generator's position, a Python function's variables"


@dataclass(frozen=True)
class OpTraits:
    """A row of the table.

    Attributes:
      effect: what an op does to the world, or None.
      reads: what it reads of the world ("a file"), so that its value may change; or None.
      state: what it does to its session's memory.
      makes: what its output is a handle of ("queue", "reader", "table", "variable", "iterator"), or
        None, as for what no code asks about.
      fills: whether it puts the content into the table whose handle it takes.
      restores: whether its outputs come out of a checkpoint.
      seeded: whether what it keeps is a generator that attributes `seed` and `seed2` start.
      ends: whether it may raise OutOfRangeError, which a queue runner takes for a clean end.
      steady: whether every run of it gives the same as long as nobody writes what it reads.
      hands_on: whether its output is an input: the same values, the same handle.
      checks: whether it is there to fail where what comes is not as it should be.
      views: whether its output is its first input, as it is or under another shape.
      moves: whether its output is made of elements of its inputs, unaltered.
      computes: whether floats that it takes are computed with.
      steps: whether the last bit of a float that it takes may decide between two results.
      fails_by: the inputs that decide whether it fails, shapes aside; None where any may.
    """

    effect: Effect | None = None
    reads: str | None = None
    state: State = State.NONE
    makes: str | None = None
    fills: bool = False
    restores: bool = False
    seeded: bool = False
    ends: bool = False
    steady: bool = False
    hands_on: bool = False
    checks: bool = False
    views: bool = False
    moves: bool = False
    computes: bool = True
    steps: bool = False
    fails_by: tuple[int, ...] | None = None

    @property
    def pure(self) -> bool:
        """Whether it computes its outputs from its inputs and nothing else, and may be run anew."""
        alone = self.effect is None and self.reads is None and self.state is State.NONE
        return alone and not self.ends


def traits_of(op: Any) -> OpTraits:
    """The row of an op, with what its attributes say.

    Args:
      op: a `tf.Operation`. What the functions that it calls do is not its own.
    """
    stream = op.get_attr("output_stream") if op.type == "PrintV2" else b""
    return _with_stream(row_of(op.type), stream)


def traits_of_node(node: Any) -> OpTraits:
    """The same of a NodeDef, as functions hold them."""
    # To ask a message for what it does not hold would put it there.
    stream = node.attr["output_stream"].s if "output_stream" in node.attr else b""
    return _with_stream(row_of(node.op), stream)


def row_of(op_type: str) -> OpTraits:
    """The row of an op type."""
    row = TRAITS.get(op_type)
    if row is None:
        known = op_def_registry.get(op_type)
        if known is None or known.is_stateful:
            return UNKNOWN
        return NOTHING if _is_tensorflows(op_type) else replace(NOTHING, ends=True)
    return row


def op_def_of(op: Any) -> Any:
    """An op's OpDef; each question for its own `op_def` would write and parse that anew."""
    return op_def_registry.get(op.type) or op.op_def  # the type may be a function of the graph


def is_called_by_type(op: Any) -> bool:
    """Whether an op calls a function of its graph by that one's name, as TF1's `Defun` did."""
    return op_def_registry.get(op.type) is None


def calls_functions(op: Any) -> bool:
    """Whether an op is given functions to call."""
    if is_called_by_type(op):
        return _takes_functions(op.op_def)
    return _type_takes_functions(op.type)


@functools.cache
def _type_takes_functions(op_type: str) -> bool:
    """The same of a type that TensorFlow knows: this is asked of each op of a graph."""
    return _takes_functions(op_def_registry.get(op_type))


def _takes_functions(op_def: Any) -> bool:
    return any(attr.type in ("func", "list(func)") for attr in op_def.attr)


def _is_tensorflows(op_type: str) -> bool:
    """Whether TensorFlow brings the op along; one that the program loaded may raise anything."""
    import tensorflow as tf

    return op_type.startswith("_") or hasattr(tf.raw_ops, op_type)


def _with_stream(row: OpTraits, stream: bytes) -> OpTraits:
    """A row where an op prints to `stream`: that may be a file."""
    return replace(row, effect=Effect.WRITES_FILES) if stream.startswith(b"file://") else row


NOTHING = OpTraits()
UNKNOWN = OpTraits(effect=Effect.UNKNOWN, state=State.OWN, ends=True)

# Accelerators of other machines, and their compilers.
_DEVICES = """
    AllToAll CollateTPUEmbeddingMemory ComputeDedupDataSize ComputeDedupDataSizeV2
    ComputeDedupDataTupleMask ComputeDedupDataTupleMaskV2 ConvertToCooTensor CrossReplicaSum
    DynamicEnqueueTPUEmbeddingArbitraryTensorBatch DynamicEnqueueTPUEmbeddingRaggedTensorBatch
    EnqueueTPUEmbeddingArbitraryTensorBatch EnqueueTPUEmbeddingBatch
    EnqueueTPUEmbeddingIntegerBatch EnqueueTPUEmbeddingRaggedTensorBatch
    EnqueueTPUEmbeddingSparseBatch EnqueueTPUEmbeddingSparseTensorBatch
    ExecuteTPUEmbeddingPartitioner GetMinibatchSplitsWithPhysicalReplica
    GetMinibatchesInCsrWithPhysicalReplica InfeedDequeue InfeedDequeueTuple InfeedEnqueue
    InfeedEnqueueTuple IsTPUEmbeddingInitialized LoadAllTPUEmbeddingParameters
    LoadTPUEmbeddingADAMParameters LoadTPUEmbeddingAdadeltaParameters
    LoadTPUEmbeddingAdagradMomentumParameters LoadTPUEmbeddingAdagradParameters
    LoadTPUEmbeddingCenteredRMSPropParameters LoadTPUEmbeddingFTRLParameters
    LoadTPUEmbeddingFrequencyEstimatorParameters LoadTPUEmbeddingMDLAdagradLightParameters
    LoadTPUEmbeddingMomentumParameters LoadTPUEmbeddingProximalAdagradParameters
    LoadTPUEmbeddingProximalYogiParameters LoadTPUEmbeddingRMSPropParameters
    LoadTPUEmbeddingStochasticGradientDescentParameters OutfeedDequeue OutfeedDequeueTuple
    OutfeedDequeueTupleV2 OutfeedDequeueV2 OutfeedEnqueue OutfeedEnqueueTuple
    RecvTPUEmbeddingActivations RetrieveAllTPUEmbeddingParameters
    RetrieveTPUEmbeddingADAMParameters RetrieveTPUEmbeddingAdadeltaParameters
    RetrieveTPUEmbeddingAdagradMomentumParameters RetrieveTPUEmbeddingAdagradParameters
    RetrieveTPUEmbeddingCenteredRMSPropParameters RetrieveTPUEmbeddingFTRLParameters
    RetrieveTPUEmbeddingFrequencyEstimatorParameters
    RetrieveTPUEmbeddingMDLAdagradLightParameters RetrieveTPUEmbeddingMomentumParameters
    RetrieveTPUEmbeddingProximalAdagradParameters RetrieveTPUEmbeddingProximalYogiParameters
    RetrieveTPUEmbeddingRMSPropParameters
    RetrieveTPUEmbeddingStochasticGradientDescentParameters SendTPUEmbeddingGradients
    StoreMinibatchStatisticsInFdo SyncDevice TPUAnnotateTensorsWithDynamicShape TPUCompile
    TPUCompileSucceededAssert TPUCopyWithDynamicShape TPUDummyInput TPUExecute
    TPUExecuteAndUpdateVariables TPUOrdinalSelector TPURoundRobin XlaHostCompute XlaLaunch
    XlaRecv XlaRecvFromHost XlaRecvTPUEmbeddingActivations XlaRecvTPUEmbeddingActivationsV2
    XlaRecvTPUEmbeddingDeduplicationData XlaRecvTPUEmbeddingDeduplicationDataV2 XlaSend
    XlaSendTPUEmbeddingGradients XlaSendTPUEmbeddingGradientsV2 XlaSendToHost
    XlaSparseCoreAdagrad XlaSparseCoreAdagradMomentum XlaSparseCoreAdam XlaSparseCoreFtrl
    XlaSparseCoreSgd _TPUCompileMlir _TPUReplicate _XlaCompile
    _XlaCompileMlirPlaceholderProgramKey _XlaHostComputeMlir _XlaRecvAtHost _XlaRecvAtHostV2
    _XlaRun _XlaSendFromHost _XlaSendFromHostV2
"""

_EFFECTS = {
    Effect.PRINTS: "Print PrintV2",
    Effect.WRITES_FILES: """
        CacheDataset CacheDatasetV2 CalibrationStatisticsSaver CloseSummaryWriter
        CreateSummaryDbWriter CreateSummaryFileWriter DatasetToTFRecord DistributedSave DumpTensor
        ExperimentalDatasetToTFRecord ExperimentalSqlDataset FileSystemSetConfiguration
        FlushSummaryWriter ImportEvent MergeV2Checkpoints Save SaveDataset SaveDatasetV2 SaveSlices
        SaveV2 SnapshotDataset SnapshotDatasetV2 SqlDataset StatsAggregatorSetSummaryWriter
        StatsAggregatorSummary ExperimentalStatsAggregatorSummary SummaryWriter WriteAudioSummary
        WriteFile WriteGraphSummary WriteHistogramSummary WriteImageSummary WriteRawProtoSummary
        WriteScalarSummary WriteSummary""",
    Effect.RUNS_PYTHON: "EagerPyFunc PyFunc PyFuncStateless",
    Effect.RUNS_CODE: "XlaCallModule XlaCustomCall XlaCustomCallV2",
    Effect.CONNECTS: """
        CollectiveAllToAllV2 CollectiveAllToAllV3 CollectiveAssignGroupV2 CollectiveBcastRecv
        CollectiveBcastRecvV2 CollectiveBcastSend CollectiveBcastSendV2 CollectiveGather
        CollectiveGatherV2 CollectiveInitializeCommunicator CollectivePermute CollectiveReduce
        CollectiveReduceScatterV2 CollectiveReduceV2 CollectiveReduceV3
        ConfigureAndInitializeGlobalTPU ConfigureDistributedTPU ConfigureTPUEmbedding
        ConfigureTPUEmbeddingHost ConfigureTPUEmbeddingMemory ConnectTPUEmbeddingHosts
        DTensorSetGlobalTPUArray DataServiceDataset DataServiceDatasetV2 DataServiceDatasetV3
        DataServiceDatasetV4 DebugIdentity DebugIdentityV2 DebugIdentityV3 DebugNanCount
        DebugNumericSummary FinalizeTPUEmbedding FinalizeTPUEmbeddingV2 NcclAllReduce NcclBroadcast
        NcclReduce Recv RegisterDataset RegisterDatasetV2 RemoteCall RpcCall RpcCheckStatus
        RpcClient RpcGetValue RpcServer RpcServerRegister RpcServerStart Send
        ShutdownDistributedTPU ShutdownTPUSystem UpdateTaskIdAndGlobalCoreArray WorkerHeartbeat
        _ConfigureDistributedTPU _DisconnectHostFromDistributedTPUSystem _HostRecv _HostSend
        _InitializeHostForDistributedTPU _NcclBroadcastRecv _NcclBroadcastSend _NcclReduceRecv
        _NcclReduceSend _Recv _Send _SetGlobalTPUArray _ShutdownDistributedTPU
        _WaitForDistributedTPU"""
    + _DEVICES,
    Effect.ENDS_PROCESS: "Abort",
}

_READS = {
    "a file": """
        CSVDataset CSVDatasetV2 DTensorRestoreV2 DecodeProtoV2 EncodeProto ExperimentalCSVDataset
        ExperimentalLMDBDataset ExperimentalSqlDataset FixedLengthRecordDataset
        FixedLengthRecordDatasetV2 FixedUnigramCandidateSampler GenerateVocabRemapping
        InitializeTableFromTextFile InitializeTableFromTextFileV2 LMDBDataset
        ListSnapshotChunksDataset LoadAndRemapMatrix LoadDataset MergeV2Checkpoints ReadFile
        ReaderRead ReaderReadUpTo ReaderReadUpToV2 ReaderReadV2 RecordInput Restore RestoreSlice
        RestoreV2 Skipgram SnapshotChunkDataset SnapshotDataset SnapshotDatasetReader
        SnapshotDatasetV2 SnapshotNestedDatasetReader SqlDataset TFRecordDataset TFRecordDatasetV2
        TextLineDataset""",
    "a folder": "ExperimentalMatchingFilesDataset MatchingFiles MatchingFilesDataset",
    "the clock": "Timestamp",
}

_SEEDED = """
    AllCandidateSampler CudnnRNN CudnnRNNBackprop CudnnRNNBackpropV2 CudnnRNNBackpropV3
    CudnnRNNV2 CudnnRNNV3 FixedUnigramCandidateSampler LearnedUnigramCandidateSampler
    LogUniformCandidateSampler Multinomial ParameterizedTruncatedNormal RandomCrop RandomGamma
    RandomPoisson RandomPoissonV2 RandomShuffle RandomStandardNormal RandomUniform
    RandomUniformInt SampleDistortedBoundingBox SampleDistortedBoundingBoxV2
    ThreadUnsafeUnigramCandidateSampler TruncatedNormal UniformCandidateSampler
"""

_MAKES = {
    "queue": """
        FIFOQueue FIFOQueueV2 PaddingFIFOQueue PaddingFIFOQueueV2 PriorityQueue PriorityQueueV2
        RandomShuffleQueue RandomShuffleQueueV2""",
    "reader": """
        FixedLengthRecordReader FixedLengthRecordReaderV2 IdentityReader IdentityReaderV2 LMDBReader
        TFRecordReader TFRecordReaderV2 TextLineReader TextLineReaderV2 WholeFileReader
        WholeFileReaderV2""",
    "table": """
        HashTable HashTableV2 MutableDenseHashTable MutableDenseHashTableV2 MutableHashTable
        MutableHashTableOfTensors MutableHashTableOfTensorsV2 MutableHashTableV2""",
    "variable": "VarHandleOp Variable VariableV2 _VarHandlesOp _XlaAotOnlyVarHandleOp",
    "iterator": """
        Iterator IteratorFromStringHandle IteratorFromStringHandleV2 IteratorV2 MultiDeviceIterator
        MultiDeviceIteratorFromStringHandle OneShotIterator""",
}
_MAKES_FOR_A_RUN = {
    "table": """
        AnonymousHashTable AnonymousMutableDenseHashTable AnonymousMutableHashTable
        AnonymousMutableHashTableOfTensors""",
    "iterator": """
        AnonymousIterator AnonymousIteratorV2 AnonymousIteratorV3 AnonymousMultiDeviceIterator
        AnonymousMultiDeviceIteratorV3""",
}
_FILLS = """
    InitializeTable InitializeTableFromDataset InitializeTableFromTextFile
    InitializeTableFromTextFileV2 InitializeTableV2 LookupTableImport LookupTableImportV2
"""
_RESTORES = "Restore RestoreSlice RestoreV2"

_STATES = {
    State.MAKES: f"""
        Barrier BoostedTreesEnsembleResourceHandleOp BoostedTreesQuantileStreamResourceHandleOp
        ConditionalAccumulator MutexV2 ResourceConditionalAccumulator RpcClient RpcServer
        SparseConditionalAccumulator StatsAggregatorHandle StatsAggregatorHandleV2
        ExperimentalStatsAggregatorHandle StubResourceHandleOp SummaryWriter
        {" ".join(_MAKES.values())}""",
    State.READS: """
        AccumulatorNumAccumulated BarrierIncompleteSize BarrierReadySize
        BoostedTreesExampleDebugOutputs BoostedTreesGetEnsembleStates BoostedTreesPredict
        BoostedTreesQuantileStreamResourceGetBucketBoundaries BoostedTreesSerializeEnsemble
        BoostedTreesTrainingPredict DebugGradientRefIdentity FakeQueue
        ExperimentalIteratorGetDevice IsBoostedTreesEnsembleInitialized
        IsBoostedTreesQuantileStreamResourceInitialized IsResourceHandleRefCounting
        IsVariableInitialized IteratorGetDevice IteratorGetModelProto IteratorToStringHandle
        LookupTableExport LookupTableExportV2 LookupTableFind LookupTableFindV2 LookupTableSize
        LookupTableSizeV2 MakeWeakResourceHandle MultiDeviceIteratorToStringHandle QueueIsClosed
        QueueIsClosedV2 QueueSize QueueSizeV2 ReadVariableOp ReadVariableXlaSplitND
        ReaderNumRecordsProduced ReaderNumRecordsProducedV2 ReaderNumWorkUnitsCompleted
        ReaderNumWorkUnitsCompletedV2 ReaderSerializeState ReaderSerializeStateV2 RefEnter RefExit
        RefIdentity RefMerge RefNextIteration RefSelect RefSwitch ResourceAccumulatorNumAccumulated
        ResourceGather ResourceGatherNd ResourceInitializedOp SerializeIterator VarIsInitializedOp
        VariableShape _ReadVariablesOp""",
    State.WRITES: """
        AccumulatorApplyGradient AccumulatorSetGlobalStep AccumulatorTakeGradient ApplyAdaMax
        ApplyAdadelta ApplyAdagrad ApplyAdagradDA ApplyAdagradV2 ApplyAdam ApplyAddSign
        ApplyCenteredRMSProp ApplyFtrl ApplyFtrlV2 ApplyGradientDescent ApplyMomentum
        ApplyPowerSign ApplyProximalAdagrad ApplyProximalGradientDescent ApplyRMSProp Assign
        AssignAdd AssignAddVariableOp AssignSub AssignSubVariableOp AssignVariableOp
        AssignVariableXlaConcatND BarrierClose BarrierInsertMany BarrierTakeMany
        BoostedTreesCenterBias BoostedTreesCreateEnsemble BoostedTreesCreateQuantileStreamResource
        BoostedTreesDeserializeEnsemble BoostedTreesFlushQuantileSummaries
        BoostedTreesQuantileStreamResourceAddSummaries
        BoostedTreesQuantileStreamResourceDeserialize BoostedTreesQuantileStreamResourceFlush
        BoostedTreesUpdateEnsemble BoostedTreesUpdateEnsembleV2 CountUpTo DeleteIterator
        DeleteMemoryCache DeleteMultiDeviceIterator DeleteRandomSeedGenerator
        DeleteRpcFutureResource DeleteSeedGenerator DeserializeIterator DestroyResourceOp
        DisableCopyOnRead InitializeTable InitializeTableFromDataset InitializeTableFromTextFile
        InitializeTableFromTextFileV2 InitializeTableV2 IteratorGetNext IteratorGetNextAsOptional
        IteratorGetNextSync LookupTableImport LookupTableImportV2 LookupTableInsert
        LookupTableInsertV2 LookupTableRemoveV2 MakeIterator MultiDeviceIteratorGetNextFromShard
        MultiDeviceIteratorInit MutexLock NegTrain QueueClose QueueCloseV2 QueueDequeue
        QueueDequeueMany QueueDequeueManyV2 QueueDequeueUpTo QueueDequeueUpToV2 QueueDequeueV2
        QueueEnqueue QueueEnqueueMany QueueEnqueueManyV2 QueueEnqueueV2 ReaderRead ReaderReadUpTo
        ReaderReadUpToV2 ReaderReadV2 ReaderReset ReaderResetV2 ReaderRestoreState
        ReaderRestoreStateV2 ResourceAccumulatorApplyGradient ResourceAccumulatorSetGlobalStep
        ResourceAccumulatorTakeGradient ResourceApplyAdaMax ResourceApplyAdadelta
        ResourceApplyAdagrad ResourceApplyAdagradDA ResourceApplyAdagradV2 ResourceApplyAdam
        ResourceApplyAdamWithAmsgrad ResourceApplyAddSign ResourceApplyCenteredRMSProp
        ResourceApplyFtrl ResourceApplyFtrlV2 ResourceApplyGradientDescent
        ResourceApplyKerasMomentum ResourceApplyMomentum ResourceApplyPowerSign
        ResourceApplyProximalAdagrad ResourceApplyProximalGradientDescent ResourceApplyRMSProp
        ResourceCountUpTo ResourceCreateOp ResourceScatterAdd ResourceScatterDiv ResourceScatterMax
        ResourceScatterMin ResourceScatterMul ResourceScatterNdAdd ResourceScatterNdMax
        ResourceScatterNdMin ResourceScatterNdSub ResourceScatterNdUpdate ResourceScatterSub
        ResourceScatterUpdate ResourceSparseApplyAdadelta ResourceSparseApplyAdagrad
        ResourceSparseApplyAdagradDA ResourceSparseApplyAdagradV2
        ResourceSparseApplyCenteredRMSProp ResourceSparseApplyFtrl ResourceSparseApplyFtrlV2
        ResourceSparseApplyKerasMomentum ResourceSparseApplyMomentum
        ResourceSparseApplyProximalAdagrad ResourceSparseApplyProximalGradientDescent
        ResourceSparseApplyRMSProp ResourceStridedSliceAssign ResourceUsingOp RngReadAndSkip
        RngSkip ScatterAdd ScatterDiv ScatterMax ScatterMin ScatterMul ScatterNdAdd ScatterNdMax
        ScatterNdMin ScatterNdSub ScatterNdUpdate ScatterSub ScatterUpdate SdcaShrinkL1
        SparseAccumulatorApplyGradient SparseAccumulatorTakeGradient SparseApplyAdadelta
        SparseApplyAdagrad SparseApplyAdagradDA SparseApplyAdagradV2 SparseApplyCenteredRMSProp
        SparseApplyFtrl SparseApplyFtrlV2 SparseApplyMomentum SparseApplyProximalAdagrad
        SparseApplyProximalGradientDescent SparseApplyRMSProp StatefulRandomBinomial
        StatefulStandardNormal StatefulStandardNormalV2 StatefulTruncatedNormal StatefulUniform
        StatefulUniformFullInt StatefulUniformInt StridedSliceAssign TPUReshardVariables""",
    State.OWN: """
        DeleteSessionTensor EagerPyFunc GetSessionHandle GetSessionHandleV2 GetSessionTensor
        MapClear MapIncompleteSize MapPeek MapSize MapStage MapUnstage MapUnstageNoKey
        NonDeterministicInts OrderedMapClear OrderedMapIncompleteSize OrderedMapPeek
        OrderedMapSize OrderedMapStage OrderedMapUnstage OrderedMapUnstageNoKey PyFunc
        RecordInput Skipgram Stage StageClear StagePeek StageSize Unstage"""
    + _SEEDED,
}

# Registered as stateful, so that no evaluation of theirs is left out or shared, though one leaves
# nothing behind for the next: what they use lives as long as a run, or stays with the lifter.
_ALONE = """
    AddManySparseToTensorsMap AddSparseToTensorsMap AnonymousHashTable AnonymousIterator
    AnonymousIteratorV2 AnonymousIteratorV3 AnonymousMemoryCache AnonymousMultiDeviceIterator
    AnonymousMultiDeviceIteratorV3 AnonymousMutableDenseHashTable AnonymousMutableHashTable
    AnonymousMutableHashTableOfTensors AnonymousRandomSeedGenerator AnonymousSeedGenerator Assert
    Case CheckNumerics CheckNumericsV2 ConsumeMutexLock DatasetToSingleElement DeepCopy DeviceIndex
    DevicePlacementOp DtypeWithDefaultOp DummyIterationCounter DummyMemoryCache DummySeedGenerator
    Empty ExperimentalGroupByReducerDataset ExperimentalRandomDataset
    ExperimentalSetStatsAggregatorDataset ExperimentalThreadPoolDataset
    ExperimentalThreadPoolHandle GeneratorDataset GlobalIterId GlobalShuffleDataset GraphDefVersion
    GroupByReducerDataset GuaranteeConst If IsTensorFloat32Enabled ListDataset RandomDataset
    RandomDatasetV2 RangeDataset ReduceDataset RequiresOlderGraphVersion RiscWhile
    SetStatsAggregatorDataset ShuffleAndRepeatDatasetV2 ShuffleDatasetV2 ShuffleDatasetV3
    SleepIdentityOp SleepOp SparseTensorSliceDataset Stack StackCloseV2 StackPopV2 StackPushV2
    StackV2 StatefulPartitionedCall StatelessRandomGetAlg TakeManySparseFromTensorsMap
    TemporaryVariable TensorArray TensorArrayCloseV3 TensorArrayConcatV3 TensorArrayGatherV3
    TensorArrayGrad TensorArrayGradV2 TensorArrayGradV3 TensorArrayGradWithShape TensorArrayReadV3
    TensorArrayScatterV3 TensorArraySizeV3 TensorArraySplitV3 TensorArrayV2 TensorArrayV3
    TensorArrayWriteV3 TensorDataset TensorSliceDataset TestAttr ThreadPoolDataset ThreadPoolHandle
    While XlaDequantize XlaIf XlaWhile _Arg _DeviceArg _DeviceRetval _If _ParallelConcatStart
    _Retval _ScopedAllocator _ScopedAllocatorConcat _ScopedAllocatorSplit _While
"""

# Named somewhere in the package, and nothing besides their outputs comes of them.
_ONLY_COMPUTE = """
    AddN AdjustHue AdjustSaturation All Any AvgPool BatchMatMul BatchMatMulV2 Conv
    DecodeAndCropJpeg DecodeBmp DecodeCompressed DecodeGif DecodeImage DecodeJpeg DecodePaddedRaw
    DecodePng DecodeRaw DecodeWebP DeserializeSparse Div DynamicPartition Einsum EnsureShape
    ExtractJpegShape FusedBatchNorm LRN LogSoftmax LoopCond MatMul Max Min NoOp ParallelConcat
    PartitionedCall Placeholder PlaceholderV2 PlaceholderWithDefault Prod Range RegexFullMatch
    RegexReplace ResizeArea ResizeBicubic ResizeBilinear ResizeNearestNeighbor ShuffleDataset
    Softmax SparseToDense StatelessIf StatelessRandomNormalV2 StatelessRandomUniformIntV2
    StatelessRandomUniformV2 StatelessTruncatedNormalV2 StatelessWhile Substr ZipDataset
"""

# A Python function ends by StopIteration, a counter at its limit, a file where it is cut short.
_ENDS = """
    BarrierTakeMany CountUpTo EagerPyFunc IteratorGetNext IteratorGetNextSync
    MultiDeviceIteratorGetNextFromShard PyFunc PyFuncStateless QueueDequeue QueueDequeueMany
    QueueDequeueManyV2 QueueDequeueUpTo QueueDequeueUpToV2 QueueDequeueV2 ReaderRead
    ReaderReadUpTo ReaderReadUpToV2 ReaderReadV2 RecordInput ResourceCountUpTo Restore
    RestoreSlice RestoreV2
"""

# Variables and tables: what one run of a graph writes is not read in the pipeline (lift/reach.py).
_STEADY = """
    HashTable HashTableV2 LookupTableFind LookupTableFindV2 LookupTableSize LookupTableSizeV2
    MutableHashTable MutableHashTableV2 ReadVariableOp ResourceGather ResourceGatherNd
    VarHandleOp VariableShape
"""

_HANDS_ON = """
    DeepCopy Enter FakeQueue Identity IdentityN PreventGradient RefEnter RefIdentity RefSwitch
    Snapshot StopGradient Switch
"""
_CHECKS = "Assert CheckNumerics CheckNumericsV2"
_VIEWS = f"ExpandDims Reshape Squeeze {_HANDS_ON}"
_MOVES = f"""
    Concat ConcatV2 Exit Gather GatherNd GatherV2 Merge NextIteration Pack RefMerge ReverseV2
    Slice Split SplitV StridedSlice Tile Transpose Unpack {_VIEWS}
"""
_COMPUTES_NOT = f"""
    DecodeCSV EagerPyFunc Fill ParseExample ParseExampleV2 ParseSequenceExample
    ParseSequenceExampleV2 ParseSingleExample ParseSingleSequenceExample PyFunc PyFuncStateless
    Rank ReadVariableOp Shape ShapeN Size {_MOVES}
"""

_FAILS_BY: dict[tuple[int, ...], str] = {
    (): """
        Abs Add AddN AddV2 AdjustContrastv2 AsString Bitcast BitwiseAnd BitwiseOr BitwiseXor
        Cast Ceil Const Cos Elu Erf Exp Expm1 Floor Greater GreaterEqual Identity Inv Invert
        IsFinite IsInf IsNan LeakyRelu LeftShift Less LessEqual Log Log1p LogicalAnd LogicalNot
        LogicalOr Maximum Minimum Mul Neg OnesLike Pack PreventGradient RealDiv Reciprocal Relu
        Relu6 RightShift Rint Round Rsqrt SelectV2 Sigmoid Sign Sin Snapshot Softplus Softsign
        Sqrt Square SquaredDifference Squeeze StopGradient StringJoin Sub Tanh Unpack ZerosLike""",
    (0,): "Split",
    (1,): """
        ExpandDims FloorDiv FloorMod Mean MirrorPad OneHot Pad PadV2 Reshape ReverseV2 Sum Tile
        Transpose""",
    (-1,): "ConcatV2",
    (0, 1, 3): "StatelessRandomNormalV2 StatelessRandomUniformV2 StatelessTruncatedNormalV2",
    (0, 1, 3, 4, 5): "StatelessRandomUniformIntV2",
    (1, 2): "Slice SplitV",
    (1, 2, 3): "StridedSlice",
}
_STEPS = """
    ApproximateEqual ArgMax ArgMin Bucketize Ceil Equal Floor FloorDiv FloorMod Greater GreaterEqual
    Less LessEqual Mod NonMaxSuppression NonMaxSuppressionV2 NonMaxSuppressionV3 NotEqual Rint
    Round Sign TopK TopKV2 TruncateDiv TruncateMod Unique UniqueV2
"""
_FLAGS = {"fills": _FILLS, "restores": _RESTORES,
          "seeded": _SEEDED, "ends": _ENDS, "steady": _STEADY, "hands_on": _HANDS_ON,
          "checks": _CHECKS, "views": _VIEWS, "moves": _MOVES, "steps": _STEPS}  # fmt: skip


def _rows() -> Iterator[tuple[str, dict[str, Any]]]:
    """The columns that are listed above, as (op type, {column: value})."""
    valued: dict[str, dict[Any, str]] = {
        "effect": _EFFECTS, "reads": _READS, "state": _STATES, "fails_by": _FAILS_BY,
        "computes": {False: _COMPUTES_NOT},
        "makes": {kind: ops + _MAKES_FOR_A_RUN.get(kind, "") for kind, ops in _MAKES.items()},
        **{name: {True: ops} for name, ops in _FLAGS.items()},
    }  # fmt: skip
    for column, listed in valued.items():
        for value, names in listed.items():
            yield from ((name, {column: value}) for name in names.split())
    yield from ((name, {}) for name in f"{_ALONE} {_ONLY_COMPUTE}".split())


def _table() -> dict[str, OpTraits]:
    columns: dict[str, dict[str, Any]] = {}
    for name, column in _rows():
        columns.setdefault(name, {}).update(column)
    made = functools.cache(lambda *row: OpTraits(**dict(row)))  # most rows are like others
    return {name: made(*row.items()) for name, row in columns.items()}


TRAITS: dict[str, OpTraits] = _table()
